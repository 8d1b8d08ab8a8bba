import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { manifestProblems, type Manifests } from "../../../scripts/gate/manifest_problems.ts";

const good: Manifests = {
  deno: {
    name: "@a/b",
    version: "1.0.0",
    license: "MIT",
    exports: { ".": "./mod.ts" },
    imports: { "@std/assert": "npm:deno-std@^1.4.0/assert/mod.js" },
  },
  npm: {
    name: "@a/b",
    version: "1.0.0",
    license: "MIT",
    exports: {
      ".": { types: "./dist/mod.d.ts", default: "./dist/mod.js" },
      "./package.json": "./package.json",
    },
    devDependencies: { "deno-std": "^1.4.0", mitata: "1.0.34" },
  },
  tsconfig: {
    compilerOptions: {
      paths: {
        "@a/b": ["./mod.ts"],
        "@std/assert": ["./node_modules/deno-std/assert/mod.js"],
      },
    },
  },
  installed: { "deno-std": "1.4.2", mitata: "1.0.34" },
};

test("manifestProblems accepts manifests that agree", () => {
  assertEquals(manifestProblems(good), []);
});

test("manifestProblems names every field that differs", () => {
  const npm = { ...good.npm, name: "b", version: "1.0.1", license: "ISC", exports: {} };
  assertEquals(manifestProblems({ ...good, npm }), [
    'name: deno.json has "@a/b", package.json has "b"',
    'version: deno.json has "1.0.0", package.json has "1.0.1"',
    'license: deno.json has "MIT", package.json has "ISC"',
    'exports: deno.json has {".":{"types":"./dist/mod.d.ts","default":"./dist/mod.js"},' +
    '"./package.json":"./package.json"}, package.json has {}',
  ]);
});

test("manifestProblems wants exact pins, installed as pinned, and no dependencies", () => {
  const npm: Manifests["npm"] = {
    ...good.npm,
    dependencies: { leftpad: "1.0.0" },
    devDependencies: { ...good.npm.devDependencies, a: "^1.0.0", b: "2.0.0", mitata: "1.0.33" },
  };
  assertEquals(manifestProblems({ ...good, npm }), [
    "package.json: the library has no dependencies, but lists leftpad",
    "node_modules: mitata is 1.0.34, package.json has 1.0.33",
    "package.json: a must be pinned exactly, got ^1.0.0",
    "node_modules: b is not installed",
  ]);
});

test("manifestProblems takes a second version of a package under a name of its own", () => {
  const devDependencies = {
    ...good.npm.devDependencies,
    "typescript-5.4": "npm:typescript@5.4.5",
    "types-node-22": "npm:@types/node@22.20.5",
    "loose": "npm:typescript@5",
  };
  const installed = {
    ...good.installed,
    "typescript-5.4": "5.4.5",
    "types-node-22": "22.20.4",
    "loose": "5.9.0",
  };
  const npm: Manifests["npm"] = { ...good.npm, devDependencies };
  assertEquals(manifestProblems({ ...good, npm, installed }), [
    "node_modules: types-node-22 is 22.20.4, package.json has 22.20.5",
    "package.json: loose must be pinned exactly, got npm:typescript@5",
  ]);
});

test("manifestProblems compares the import map with tsconfig's paths and the packages", () => {
  const deno: Manifests["deno"] = {
    ...good.deno,
    imports: {
      "@std/assert": "npm:deno-std@^2.0.0/assert.js",
      "@std/cli": "npm:deno-std/cli.js",
    },
  };
  const tsconfig = {
    compilerOptions: { paths: { ...good.tsconfig.compilerOptions.paths, lost: ["./x.ts"] } },
  };
  assertEquals(manifestProblems({ ...good, deno, tsconfig }), [
    "import @std/assert: deno.json has deno-std ^2.0.0, package.json has ^1.4.0",
    "deno.json: import @std/cli must name an npm package with its version, got npm:deno-std/cli.js",
    'tsconfig.json: path @std/assert must be ["./node_modules/deno-std/assert.js"], got ["./node_modules/deno-std/assert/mod.js"]',
    "tsconfig.json: path lost is in neither imports nor exports of deno.json",
  ]);
});
