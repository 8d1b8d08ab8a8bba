import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { findExamples } from "../../../../scripts/test/examples/find_examples.ts";

test("of a page the programs are found, each by its first line, those to ignore and other texts not", () => {
  const page =
    "# A\n\n```ts\na();\n\nb();\n```\n\n```sh\nc\n```\n```js ignore\nd();\n```\n```js\ne();\n```";
  assertEquals(findExamples("a.md", page), [
    { name: "a.md:3", code: "a();\n\nb();" },
    { name: "a.md:15", code: "e();" },
  ]);
});

test("of a file the programs of its comments are found, without the stars", () => {
  const file = "/**\n * A.\n *\n * ```ts\n * a();\n *\n *   b();\n * ```\n */\nc();\n// ```ts\n";
  assertEquals(findExamples("a.ts", file), [{ name: "a.ts:4", code: "a();\n\n  b();" }]);
});

test("a file without any has none", () => {
  assertEquals(findExamples("a.ts", "const a = `\n```ts\na();\n```\n`;"), []);
});
