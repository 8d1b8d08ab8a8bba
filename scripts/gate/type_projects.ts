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
  /** In which of the ways modules are resolved; default: each. */
  readonly resolutions?: readonly (keyof typeof resolutions)[];
}

interface CompilerCases {
  readonly name: string;
  readonly compiler: Compiler;
  readonly surroundings: Readonly<Record<string, Surrounding>>;
}

/**
 * The lowest compiler that works, the last written in JavaScript, and the newest. Only the newest takes every surrounding
 * with every resolution. The others take ten times as long, and what they add is how they read the declarations, which
 * depends on the libraries beside these, while `exports` in package.json name the same declarations to each resolution:
 * so each surrounding is met once, and the lowest meets both resolutions.
 */
const compilers: readonly CompilerCases[] = [
  {
    name: "TypeScript 5.4",
    compiler: "typescript-5.4",
    surroundings: {
      "@types/node 22": {
        packages: { "@types/node": "types-node-22" },
        options: { lib: ["esnext"], types: ["node"] },
        resolutions: ["nodenext"],
      },
      "DOM libraries only": {
        packages: {},
        options: { lib: dom, types: [] },
        resolutions: ["bundler"],
      },
    },
  },
  {
    name: "TypeScript 6",
    compiler: "typescript",
    surroundings: {
      "@types/node, default libraries, stricter still": {
        ...defaultLibraries,
        resolutions: ["nodenext"],
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

/** Every compiler in every surrounding it is checked in, as Node resolves modules, as bundlers do, or both. */
export const typeProjects: readonly TypeProject[] = compilers.flatMap((
  { name, compiler, surroundings },
) =>
  Object.entries(surroundings).flatMap(([surrounding, { packages, options, resolutions: some }]) =>
    Object.entries(resolutions)
      .filter(([resolution]) => some === undefined || some.some((one) => one === resolution))
      .map(([resolution, resolutionOptions]) => ({
        name: `${name}, ${surrounding}, ${resolution}`,
        compiler,
        packages,
        compilerOptions: { ...strict, ...resolutionOptions, ...options },
      }))
  )
);
