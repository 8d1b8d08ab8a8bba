import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { importProblems } from "../../../scripts/gate/import_problems.ts";

const names = new Map([["@hosepipe/streams", "mod.ts"]]);

function problems(files: Record<string, string>): string[] {
  return importProblems(new Map(Object.entries(files)), names);
}

test("importProblems accepts imports that run down", () => {
  assertEquals(
    problems({
      "scripts/a.ts": `import "../bench/a.ts"; import "node:fs"; import "typescript";`,
      "bench/a.ts": `import "../scenarios/a.ts"; import { map } from "@hosepipe/streams";`,
      "scenarios/a.ts": `import "node:fs"; import "../src/stages/map.ts";`,
      "src/files/a.ts": `import "node:fs"; import "../map.ts";`,
      "node_compat/map.ts": `import "node:stream"; import "../src/stages/map.ts";`,
      "src/stages/map.ts": `import "../errors.ts";`,
      "src/errors.ts": `export {};`,
      "mod.ts": `export { map } from "./src/stages/map.ts";`,
    }),
    [],
  );
});

test("importProblems names imports that run up", () => {
  assertEquals(
    problems({
      "src/a.ts": `export { x } from "../bench/a.ts";`,
      "bench/a.ts": `const s = await import("../scripts/a.ts"); export const x = s;`,
      "scripts/a.ts": `import type { T } from "../tests/a_test.ts";`,
      "node_compat/a.ts": `import "../scenarios/a.ts";`,
    }),
    [
      "src/a.ts imports bench/a.ts: src may import only itself",
      "bench/a.ts imports scripts/a.ts: bench may import scenarios, node_compat, servers, src, runtimes",
      "scripts/a.ts imports tests/a_test.ts: scripts may import site, bench, scenarios, node_compat, servers, src, runtimes",
      "node_compat/a.ts imports scenarios/a.ts: node_compat may import servers, src",
    ],
  );
});

test("importProblems keeps packages out of the library", () => {
  assertEquals(
    problems({
      "src/a.ts": `import "node:fs";`,
      "src/b.ts": `import "./files/a.ts";`,
      "src/files/a.ts": `import "papaparse";`,
      "node_compat/a.ts": `import "papaparse";`,
      "scenarios/a.ts": `import "mongodb";`,
    }),
    [
      "src/a.ts imports node:fs: src may not",
      "src/b.ts imports src/files/a.ts: src may import only itself",
      "src/files/a.ts imports papaparse: servers may not",
      "node_compat/a.ts imports papaparse: node_compat may not",
    ],
  );
});

test("importProblems finds each circle once, also through the package's own name", () => {
  assertEquals(
    problems({
      "mod.ts": `export { a } from "./src/a.ts";`,
      "src/a.ts": `export { b as a } from "./b.ts";`,
      "src/b.ts": `export { a as b } from "@hosepipe/streams";`,
    }),
    ["imports go in a circle: mod.ts → src/a.ts → src/b.ts → mod.ts"],
  );
});

test("importProblems lets not even types go round: what two files share is a third", () => {
  assertEquals(
    problems({
      "src/a.ts": `import type { B } from "./b.ts"; export interface A { b: B }`,
      "src/b.ts": `import { a } from "./a.ts"; export type { A } from "./a.ts"; export type B = 1;`,
    }),
    ["imports go in a circle: src/a.ts → src/b.ts → src/a.ts"],
  );
});
