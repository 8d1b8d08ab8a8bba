import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { prepareCode, stripTypes } from "../../playground/worker/prepare_code.ts";

test("types are removed, and every line stays where it was", () => {
  const typed = `import { map, type StageContext } from "@hosepipe/streams";
import type { Transformer } from "@hosepipe/streams";
interface Row {
  id: number;
}
type Rows = readonly Row[];
const double = map<
  number,
  number
>((n: number, index?: number): number => n * 2);
class Counter<T> {
  #count: number = 0;
  add(this: Counter<T>, value: T): asserts value is NonNullable<T> { this.#count++; }
}
async function* all<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const one of source) yield one as T;
}
const last = ([1, 2] satisfies number[]).at(-1)!;
`;
  const plain = stripTypes(typed);
  assertEquals(plain.split("\n").length, typed.split("\n").length);
  const lineOf = (text: string, part: string) =>
    text.split("\n").findIndex((line) => line.includes(part));
  for (const part of ["const double", "class Counter", "async function*", "const last"]) {
    assertEquals(lineOf(plain, part), lineOf(typed, part), part);
  }
  assertEquals(/interface|Transformer|StageContext|: number|<T>|satisfies| as T/.exec(plain), null);
  // It is JavaScript: without its imports it can be compiled.
  new Function(`return async () => {${plain.replace(/^import.*$/gm, "")}}`);
});

test("JavaScript stays as it is", () => {
  const plain = `import { map } from "@hosepipe/streams";
const a = x < y, b = (x, y) => x > y; // a comment: number
const text = \`\${a}: string\`, regex = /a<b>/g;
label: for (;;) break label;
const value = object?.a ?? 1_000n;
`;
  assertEquals(stripTypes(plain), plain);
});

test("code that cannot be read is left to the browser", () => {
  assertEquals(stripTypes("const b = ;"), "const b = ;");
});

test("imports of the library and of assertions become constants", () => {
  const code = prepareCode(`import { map } from "@hosepipe/streams";
import assert from "node:assert/strict";
import { deepEqual as equals } from "node:assert/strict";
`);
  assertMatch(code, /const \{ map \} = hosepipe;/);
  assertMatch(code, /const assert = assertions;\nconst \{ deepEqual: equals \} = assertions;/);
  const refused = (name: string) =>
    assertThrows(() => prepareCode(`\nimport { a } from "${name}";\na();`), Error, "Cannot import");
  assertMatch(
    refused("node:fs").message,
    /only "@hosepipe\/streams", "@hosepipe\/streams\/inspect", "node:assert\/strict" are here/,
  );
  assert("line" in refused("constructor"));
});
