import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { selectTests } from "../../../scripts/test/changed_tests.ts";

const files = new Map(Object.entries({
  "mod.ts": `export { a } from "./src/a.ts";`,
  "src/a.ts": `import { b } from "./b.ts";`,
  "src/b.ts": "export const b = 1;",
  "scripts/run.ts": `import "../src/b.ts";`,
  "tests/a_test.ts": `import "../src/a.ts";`,
  "tests/c_test.ts": "",
  "tests/run_test.ts": `startScript("scripts/run.ts");`,
}));
const examples = ["src/a.ts", "README.md"];

test("selectTests takes what imports a changed file, and what names it, as a test of a command does", () => {
  const { tests, unreached, everythingFor } = selectTests(["src/b.ts"], files, examples);
  assertEquals(tests, ["tests/a_test.ts", "tests/run_test.ts"]);
  assertEquals([unreached, everythingFor], [[], undefined]);
  assertEquals(selectTests(["scripts/run.ts"], files, examples).tests, ["tests/run_test.ts"]);
  assertEquals(selectTests(["tests/c_test.ts"], files, examples).tests, ["tests/c_test.ts"]);
});

test("selectTests takes changed examples, and says what nothing reaches", () => {
  const changed = ["README.md", "src/a.ts", "src/gone.ts", ".ci/run"];
  const { tests, examples: taken, unreached } = selectTests(changed, files, examples);
  assertEquals([tests, taken], [["tests/a_test.ts"], ["src/a.ts", "README.md"]]);
  assertEquals(unreached, ["src/gone.ts", ".ci/run"]);
});

test("selectTests asks for everything where all files depend on what has changed", () => {
  for (const path of ["deno.json", "package.json", "deno.lock", "node_compat/register.mjs"]) {
    assertEquals(selectTests(["src/a.ts", path], files, examples).everythingFor, path);
  }
});
