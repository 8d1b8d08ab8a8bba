import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { reachingTests } from "../../../scripts/mutate/reaching_tests.ts";

test("reachingTests follows imports, also through our own names, the nearest first", () => {
  const reaching = reachingTests(
    new Map(Object.entries({
      "mod.ts": `export { a } from "./src/stages/a.ts";`,
      "src/stages/a.ts": `import { b } from "../b.ts";`,
      "src/b.ts": `export const b = 1;`,
      "src/lonely.ts": `export {};`,
      "tests/lib/c.ts": `import "../../src/b.ts";`,
      "tests/laws/d_test.ts": `import { a } from "@hosepipe/streams";`,
      "tests/b_test.ts": `import "./lib/c.ts";`,
      "tests/stages/a_test.ts": `await import("../../src/stages/a.ts");`,
    })),
  );
  assertEquals(reaching.get("src/stages/a.ts"), ["tests/stages/a_test.ts", "tests/laws/d_test.ts"]);
  assertEquals(reaching.get("src/b.ts"), [
    "tests/b_test.ts",
    "tests/laws/d_test.ts",
    "tests/stages/a_test.ts",
  ]);
  assertEquals(reaching.get("src/lonely.ts"), undefined);
});

test("reachingTests knows what is taken from a face by its name, and that types are not run", () => {
  const reaching = reachingTests(
    new Map(Object.entries({
      "mod.ts": `export { a, type A } from "./src/a.ts"; export { b } from "./src/b.ts";`,
      "src/a.ts": `import type { B } from "./types.ts";`,
      "src/b.ts": `import { type B, c } from "./c.ts";`,
      "src/c.ts": `export const c = 1;`,
      "src/types.ts": `export type B = 1;`,
      "tests/a_test.ts": `import { a as other } from "@hosepipe/streams";`,
      "tests/all_test.ts": `import * as all from "../mod.ts";`,
      "tests/none_test.ts":
        `import { type A } from "../mod.ts"; import type { b } from "../mod.ts";`,
    })),
  );
  assertEquals(reaching.get("src/a.ts"), ["tests/a_test.ts", "tests/all_test.ts"]);
  assertEquals(reaching.get("src/b.ts"), ["tests/all_test.ts"]);
  assertEquals(reaching.get("src/c.ts"), ["tests/all_test.ts"]);
  assertEquals(reaching.get("src/types.ts"), undefined);
});

test("reachingTests takes the test of a file's own name first, wherever it stands", () => {
  const text = `import "../../src/stages/a.ts";`;
  const paths = ["tests/stages/b_test.ts", "tests/laws/a_test.ts", "tests/laws/c_test.ts"];
  const reaching = reachingTests(
    new Map([["src/stages/a.ts", ""], ...paths.map((path) => [path, text] as const)]),
  );
  assertEquals(reaching.get("src/stages/a.ts"), [
    "tests/laws/a_test.ts",
    "tests/stages/b_test.ts",
    "tests/laws/c_test.ts",
  ]);
});
