import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { reachProblems } from "../../../scripts/gate/reach_problems.ts";

test("reachProblems names what is published and not reached, and nothing else", () => {
  const files = new Map(Object.entries({
    "mod.ts": `export { a } from "./src/a.ts";`,
    "src/a.ts": `import type { B } from "./b.ts"; import { c } from "../src/c.ts";`,
    "src/b.ts": `export type B = 1;`,
    "src/c.ts": `export const c = await import("./d.ts");`,
    "src/d.ts": `import "node:fs";`,
    "src/lonely.ts": `import "./a.ts";`,
    "node_compat/lonely.ts": `import "../mod.ts";`,
    "bench/a.ts": `import "../src/a.ts";`,
  }));
  assertEquals(reachProblems(files, ["mod.ts"]), [
    "src/lonely.ts is published, and no export reaches it",
    "node_compat/lonely.ts is published, and no export reaches it",
  ]);
});
