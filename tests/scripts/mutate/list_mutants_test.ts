import { assert, assertEquals } from "@std/assert";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import ts from "typescript";
import { listMutants } from "../../../scripts/mutate/list_mutants.ts";

/** Each change as the text it makes. */
function changed(text: string): string[] {
  return listMutants("a.ts", text).map(({ start, end, after }) =>
    text.slice(0, start) + after + text.slice(end)
  );
}

test("listMutants swaps operators and takes signs away", () => {
  assertEquals(changed("x = a + b;"), [";", "x = a - b;"]);
  assertEquals(changed("x = a <= b;"), [";", "x = a < b;"]);
  assertEquals(changed("x = !a;"), [";", "x = a;"]);
  assertEquals(changed("x = a ?? b;"), [";", "x = a;", "x = b;"]);
  assertEquals(changed("x++;"), [";", "x--;"]);
  assertEquals(changed("--x;"), [";", "++x;"]);
});

test("listMutants settles conditions and takes either branch", () => {
  assertEquals(changed("if (a) {}"), ["if (true) {}", "if (false) {}"]);
  assertEquals(changed("while (a) {}"), ["while (false) {}"]);
  assertEquals(changed("while (true) {}"), ["while (false) {}"]);
  assertEquals(changed("for (;a;) {}"), ["for (;false;) {}"]);
  assertEquals(changed("x = a ? b : c;"), [";", "x = b;", "x = c;"]);
});

test("listMutants changes literals, answers and what is awaited", () => {
  assertEquals(changed("x = 1_000;"), [";", "x = 1001;"]);
  assertEquals(changed('x = "a";'), [";", 'x = "";']);
  assertEquals(changed('x = "";'), [";", 'x = "changed";']);
  assertEquals(changed("x = [a];"), [";", "x = [];"]);
  assertEquals(changed("await a();"), [";", "a();"]);
  assertEquals(changed("x = a?.b;"), [";", "x = a.b;"]);
  assertEquals(changed("x = a?.(b)?.[c];").slice(1), ["x = a(b)?.[c];", "x = a?.(b)[c];"]);
  assertEquals(changed("function f() { return a; }"), ["function f() { return; }"]);
  assertEquals(changed("function f() { return false; }"), ["function f() { return true; }"]);
  assertEquals(changed("function f() { return undefined; }"), []);
  assertEquals(changed("x = () => a;"), [";", "x = () => undefined;"]);
});

test("listMutants leaves types, names, patterns, imports and messages alone", () => {
  for (
    const text of [
      `import { a } from "b"; export { c } from "d"; export type E = "f" | 1;`,
      `interface A { readonly b: "c"; d(e: 1): true }`,
      `let a: "b" | 1; const { "c": d } = e;`,
      `[a, b] = c;`,
    ]
  ) assertEquals(changed(text), text.startsWith("[") ? [";"] : []);
  assertEquals(changed('throw new Error("a" + b);').length, 2);
  assertEquals(changed('checkInteger("make a", "n", n, 0);'), [
    ";",
    'checkInteger("make a", "n", n, 1);',
  ]);
});

test("listMutants gives places that can be found, and code that can be read", async () => {
  const path = "src/stages/lines.ts";
  const text = await readFile(new URL(`../../../${path}`, import.meta.url), "utf8");
  const mutants = listMutants(path, text);
  assert(mutants.length > 3);
  for (const { line, column, start, end, before, after } of mutants) {
    assertEquals(text.slice(start, end), before);
    assertEquals(text.split("\n")[line - 1]!.slice(column - 1, column), before.slice(0, 1));
    const changed = text.slice(0, start) + after + text.slice(end);
    const { diagnostics } = ts.transpileModule(changed, { reportDiagnostics: true });
    assertEquals(diagnostics, [], changed);
  }
});
