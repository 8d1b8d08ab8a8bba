import type { Compiler } from "./compile_with.ts";

/** A project that has the library installed, and the compiler that checks it. */
export interface TypeProject {
  readonly name: string;
  readonly compiler: Compiler;
  /** Packages of types that the project sees, each by the package in this project's `node_modules`. */
  readonly packages: Readonly<Record<string, string>>;
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

const strict = {
  strict: true,
  // Declarations of packages are checked, ours among them, and not those that come with the compiler: what of ours does
  // not fit these is an error in ours.
  skipLibCheck: false,
  skipDefaultLibCheck: true,
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

interface Surrounding {
  readonly packages: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** How modules are resolved. */
  readonly resolution: keyof typeof resolutions;
}

interface CompilerCases {
  readonly name: string;
  readonly compiler: Compiler;
  readonly surroundings: Readonly<Record<string, Surrounding>>;
}

/**
 * The lowest compiler that works, the last written in JavaScript, and the newest. How they read the declarations depends
 * on the libraries beside these, while `exports` in package.json name the same declarations to each resolution: so each
 * surrounding is met once, and the lowest and the newest meet both resolutions.
 */
const compilers: readonly CompilerCases[] = [
  {
    name: "TypeScript 5.4",
    compiler: "typescript-5.4",
    surroundings: {
      "@types/node 22": {
        packages: { "@types/node": "types-node-22" },
        options: { lib: ["esnext"], types: ["node"] },
        resolution: "nodenext",
      },
      "DOM libraries only": {
        packages: {},
        options: { lib: dom, types: [] },
        resolution: "bundler",
      },
    },
  },
  {
    name: "TypeScript 6",
    compiler: "typescript",
    surroundings: {
      "@types/node, default libraries, stricter still": {
        ...defaultLibraries,
        resolution: "nodenext",
      },
    },
  },
  {
    name: "TypeScript 7",
    compiler: "typescript-7",
    surroundings: {
      "@types/node": {
        packages: { "@types/node": "@types/node" },
        options: { lib: ["esnext"], types: ["node"] },
        resolution: "nodenext",
      },
      "@types/node and DOM libraries": {
        packages: { "@types/node": "@types/node" },
        options: { lib: dom, types: ["node"] },
        resolution: "bundler",
      },
      "@types/node, default libraries, stricter still": {
        ...defaultLibraries,
        resolution: "bundler",
      },
      "bun-types": {
        packages: { "bun-types": "bun-types" },
        options: { lib: ["esnext"], types: ["bun-types"] },
        resolution: "bundler",
      },
      "DOM libraries only": {
        packages: {},
        options: { lib: dom, types: [] },
        resolution: "nodenext",
      },
      "DOM libraries only and stricter still": {
        packages: {},
        options: { lib: dom, types: [], ...stricter },
        resolution: "bundler",
      },
    },
  },
];

/** Every compiler in every surrounding that it is checked in. */
export const typeProjects: readonly TypeProject[] = compilers.flatMap((
  { name, compiler, surroundings },
) =>
  Object.entries(surroundings).map(([surrounding, { packages, options, resolution }]) => ({
    name: `${name}, ${surrounding}, ${resolution}`,
    compiler,
    packages,
    compilerOptions: { ...strict, ...resolutions[resolution], ...options },
  }))
);
