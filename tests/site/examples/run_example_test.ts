import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { runExample } from "../../../scripts/site/examples/run_example.ts";

const imports = `import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";\n`;

test("an example shows what it prints and what its assertions are about, in order", async () => {
  const output = await runExample(`${imports}
const parts = ["a", "b"];
console.log("at", { port: 1 }, "http://127.0.0.1:54321/");
assertEquals(
  parts.map((part) =>
    part.toUpperCase()
  ),
  ["A", "B"],
);
assert(parts.length === 2);
const error = await assertRejects(() => Promise.reject(new RangeError("too long")), RangeError);
assertMatch(error.message, /long/);
`);
  assertEquals(output, [
    ["at { port: 1 } http://127.0.0.1:…/"],
    ["parts.map((part) => part.toUpperCase())", '["A", "B"]'],
    ["parts.length === 2", "true"],
    ['Promise.reject(new RangeError("too long"))', "RangeError: too long"],
    ["error.message", "text that matches /long/"],
  ]);
});

test("what may differ in the next run is not shown", async () => {
  const output = await runExample(`${imports}
const id = crypto.randomUUID();
const copy = { id };
assertEquals(copy.id, id);
assertEquals([copy.id], [copy.id]);
const lines = Array.from({ length: 9 }, (_, line) => line === 7 ? "stage 7 fails" : Math.random());
await assertRejects(() => Promise.reject(new Error(lines.join("\\n"))), Error, "7 fails");
`);
  assertEquals(output, [
    ["copy.id", "the same as id"],
    ["[copy.id]", "the same as [copy.id]"],
    ['Promise.reject(new Error(lines.join("\\n")))', "Error: … stage 7 fails"],
  ]);
});

test("an assertion that is made often is shown once for each value in a row", async () => {
  const output = await runExample(`${imports}
for (const n of [1, 1, 2]) assert(n);
`);
  assertEquals(output, [["n", "1"], ["n", "2"]]);
});

test("an example that fails is an error, and leaves the console as it was", async () => {
  const { log } = console;
  await assertRejects(() => runExample(`${imports}console.log(1);\nassertEquals(1, 2);`), Error);
  assertEquals(console.log, log);
});
