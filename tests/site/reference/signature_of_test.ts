import { test } from "node:test";
import { assertEquals } from "@std/assert";
import ts from "typescript";
import { signaturesOf } from "../../../scripts/site/reference/signature_of.ts";

function signatures(code: string) {
  const { statements } = ts.createSourceFile("a.ts", code, ts.ScriptTarget.ESNext, true);
  return signaturesOf(statements);
}

test("a function is shown without its body", () => {
  const [one] = signatures(
    "/** Adds. */\nexport function add(a: number, b = 1): number {\n  return a + b;\n}",
  );
  assertEquals(one, {
    code: "function add(a: number, b = 1): number",
    members: [],
    documentation: "/** Adds. */",
  });
});

test("of overloads each is shown, and not what they run", () => {
  const code =
    "/** One. */\nexport function f(a: 1): 1;\n/** Two. */\nexport function f(a: 2): 2;\n" +
    "export function f(a: unknown): unknown {\n  return a;\n}";
  assertEquals(signatures(code).map(({ code, documentation }) => [code, documentation]), [
    ["function f(a: 1): 1", "/** One. */"],
    ["function f(a: 2): 2", "/** Two. */"],
  ]);
});

test("an interface has its members, and those that are documented one by one", () => {
  const [one] = signatures(
    "export interface A<T> extends B {\n  /** Its name. */\n  readonly name?: string;\n  size(): T;\n}",
  );
  assertEquals(one!.code, "interface A<T> extends B {\n  readonly name?: string;\n  size(): T;\n}");
  assertEquals(one!.members, [
    { signature: "readonly name?: string", documentation: "/** Its name. */" },
  ]);
});

test("a class keeps what is private to itself", () => {
  const [one] = signatures(`export class C {
  #secret = 1;
  private other = 2;
  /** Open. */
  readonly open: boolean = true;
  static {
    use();
  }
  constructor(a: number) {
    this.open = a > 0;
  }
  /** Ends it. */
  close(): void {
    this.#secret = 0;
  }
}`);
  assertEquals(
    one!.code,
    "class C {\n  readonly open: boolean;\n  constructor(a: number);\n  close(): void;\n}",
  );
  assertEquals(one!.members.map(({ signature }) => signature), [
    "readonly open: boolean",
    "close(): void",
  ]);
});

test("of many ways to call three are shown", () => {
  const calls = [1, 2, 3, 4, 5].map((count) => `  (a: ${count}): void;`).join("\n");
  const [one] = signatures(`export interface Run {\n${calls}\n}`);
  assertEquals(one!.code.match(/\(a: \d\)/g)!.length, 3);
  assertEquals(one!.code.includes("and 2 more"), true);
});

test("a type and a constant are shown as they are declared", () => {
  assertEquals(signatures('export type A = "a" | "b";')[0]!.code, 'type A = "a" | "b"');
  assertEquals(
    signatures("export const a: Pipeline = run as Pipeline;")[0]!.code,
    "const a: Pipeline",
  );
});
