/** A project that has the library installed, and the compiler that checks it. */
export interface TypeProject {
  readonly name: string;
  /** The package of the compiler, in this project's `node_modules`. */
  readonly compiler: string;
  /** Packages of types that the project sees, each by the package in this project's `node_modules`. */
  readonly packages: Readonly<Record<string, string>>;
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

const strict = {
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  target: "esnext",
};
const dom = ["esnext", "dom", "dom.iterable", "dom.asynciterable"];

const resolutions = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
};

const stricter = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
/** What a new project has that chose no libraries: the DOM's among them, beside Node's types. */
const defaultLibraries = {
  packages: { "@types/node": "@types/node" },
  options: { types: ["node"], ...stricter },
};

/** The lowest compiler that works, the last written in JavaScript, and the newest. */
const compilers = [
  {
    name: "TypeScript 5.4",
    compiler: "typescript-5.4",
    surroundings: {
      "@types/node 22": {
        packages: { "@types/node": "types-node-22" },
        options: { lib: ["esnext"], types: ["node"] },
      },
      "DOM libraries only": { packages: {}, options: { lib: dom, types: [] } },
    },
  },
  {
    name: "TypeScript 6",
    compiler: "typescript",
    surroundings: { "@types/node, default libraries, stricter still": defaultLibraries },
  },
  {
    name: "TypeScript 7",
    compiler: "typescript-7",
    surroundings: {
      "@types/node": {
        packages: { "@types/node": "@types/node" },
        options: { lib: ["esnext"], types: ["node"] },
      },
      "@types/node and DOM libraries": {
        packages: { "@types/node": "@types/node" },
        options: { lib: dom, types: ["node"] },
      },
      "@types/node, default libraries, stricter still": defaultLibraries,
      "bun-types": {
        packages: { "bun-types": "bun-types" },
        options: { lib: ["esnext"], types: ["bun-types"] },
      },
      "DOM libraries only": { packages: {}, options: { lib: dom, types: [] } },
      "DOM libraries only and stricter still": {
        packages: {},
        options: { lib: dom, types: [], ...stricter },
      },
    },
  },
];

/** Every compiler in every surrounding it is checked in, once as Node resolves modules and once as bundlers do. */
export const typeProjects: readonly TypeProject[] = compilers.flatMap((
  { name, compiler, surroundings },
) =>
  Object.entries(surroundings).flatMap(([surrounding, { packages, options }]) =>
    Object.entries(resolutions).map(([resolution, resolutionOptions]) => ({
      name: `${name}, ${surrounding}, ${resolution}`,
      compiler,
      packages,
      compilerOptions: { ...strict, ...resolutionOptions, ...options },
    }))
  )
);
