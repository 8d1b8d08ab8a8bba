import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { exportProblems } from "../../../scripts/gate/export_problems.ts";

const documented = `/**
 * Maps.
 *
 * @example
 * \`\`\`ts
 * assertEquals(1, 1);
 * \`\`\`
 */
export function flatMap(): void {}
/** Its options. */
export interface FlatMapOptions { readonly size: number }
`;
const face = `/**
 * The face.
 *
 * @module
 */
export { flatMap, type FlatMapOptions } from "./src/stages/flat_map.ts";
`;

function problems(files: Record<string, string>): string[] {
  return exportProblems(new Map(Object.entries(files)), ["mod.ts"]);
}

test("exportProblems accepts a documented symbol named as its file", () => {
  assertEquals(problems({ "mod.ts": face, "src/stages/flat_map.ts": documented }), []);
});

test("exportProblems names what a public symbol lacks", () => {
  const text = documented.replace("assertEquals(1, 1)", "flatMap()").replace(
    "/** Its options. */",
    "",
  );
  assertEquals(problems({ "mod.ts": face, "src/stages/flat_map.ts": text }), [
    "src/stages/flat_map.ts: flatMap has no @example that asserts",
    "src/stages/flat_map.ts: FlatMapOptions has no doc comment",
  ]);
});

test("exportProblems wants one public symbol per file, named for the file", () => {
  const two = face.replace("flatMap,", "flatMap, flatten,");
  const text = `${documented}${
    documented.replace("flatMap(", "flatten(").replace(/\/\*\* Its[^]*/, "")
  }`;
  assertEquals(problems({ "mod.ts": two, "src/stages/flat_map.ts": text }), [
    "src/stages/flat_map.ts: has several public symbols, flatMap, flatten",
  ]);
  const moved = face.replace("flat_map.ts", "maps.ts");
  assertEquals(problems({ "mod.ts": moved, "src/stages/maps.ts": documented }), [
    "src/stages/maps.ts: is not named for its symbol flatMap",
  ]);
});

test("exportProblems lets a file of types alone have any name", () => {
  const types = face.replace(", type FlatMapOptions", "") +
    `export type { Chunk, Size } from "./src/types.ts";`;
  const text = "/** A. */\nexport type Chunk = string;\n/** B. */\nexport type Size = number;";
  const files = { "mod.ts": types, "src/stages/flat_map.ts": documented, "src/types.ts": text };
  assertEquals(problems(files), []);
});

test("exportProblems follows a name to the file that declares it", () => {
  const [symbol, options] = documented.split("/** Its");
  const ways = [
    `import type { FlatMapOptions } from "./options.ts"; export type { FlatMapOptions };`,
    `export type { FlatMapOptions } from "./options.ts";`,
  ];
  for (const way of ways) {
    const files = { "mod.ts": face, "src/stages/flat_map.ts": `${way}\n${symbol}` };
    const declared = { "src/stages/options.ts": `/** Its${options}` };
    assertEquals(problems({ ...files, ...declared }), []);
    assertEquals(problems(files), ["src/stages/flat_map.ts: does not export FlatMapOptions"]);
  }
});

test("exportProblems finds missing faces, files and names, and what a face may not hold", () => {
  assertEquals(problems({}), ["mod.ts: is missing"]);
  assertEquals(problems({ "mod.ts": `${face}export const x = 1;` }), [
    "mod.ts: may only re-export by name, has export const x = 1;",
    "mod.ts: re-exports src/stages/flat_map.ts, which is missing",
  ]);
  assertEquals(problems({ "mod.ts": `export * from "./src/a.ts";` }), [
    "mod.ts: does not begin with a doc block that has @module",
    'mod.ts: may only re-export by name, has export * from "./src/a.ts";',
  ]);
  assertEquals(problems({ "mod.ts": face, "src/stages/flat_map.ts": "export {};" }), [
    "src/stages/flat_map.ts: does not export flatMap",
    "src/stages/flat_map.ts: does not export FlatMapOptions",
  ]);
});

test("exportProblems takes what a thread begins with as used", () => {
  const worker = 'new Worker(new URL("./thread.ts", import.meta.url));';
  const files = {
    "src/stages/flat_map.ts": `${documented}\n${worker}`,
    "src/stages/thread.ts": "",
  };
  assertEquals(problems({ "mod.ts": face, ...files }), []);
});

test("exportProblems finds a file of the library that nobody uses", () => {
  const files = { "mod.ts": face, "src/stages/flat_map.ts": documented, "src/lost.ts": "" };
  assertEquals(problems(files), ["src/lost.ts: is neither re-exported by mod.ts nor imported"]);
  assertEquals(problems({ ...files, "bench/a.ts": `import "../src/lost.ts";` }), []);
});
