import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { outputByCode } from "../../../scripts/site/examples/output_by_code.ts";
import { codeOf, readExamples } from "../../../scripts/site/examples/read_examples.ts";
import type { ReferenceEntry } from "../../../scripts/site/reference/read_reference.ts";

const commentOf = (code: string) =>
  `/**\n * N.\n *\n * @param n A.\n * @example Title
 * \`\`\`ts\n * ${code}\n * \`\`\`\n */`;

/** An entry whose function has an overload for each example. */
function entryOf(source: string, ...codes: readonly string[]): ReferenceEntry {
  const documentation = { text: "", tags: [] };
  const signatures = codes.map((code) => ({
    ...{ code: "", members: [], documentation: commentOf(code) },
  }));
  const symbols = [{ name: "map", isType: false, documentation, signatures }];
  const pages = [{ path: "map.html", source, symbols }];
  return { specifier: "s", path: "index.html", documentation, pages };
}

test("an example is the code between its fences", () => {
  assertEquals(codeOf("Title\n```ts ignore\na();\n\nb();\n```\nand more"), "a();\n\nb();");
  assertEquals(codeOf("no code"), "");
});

test("examples are those of every file, each once, and find their output by their place", () => {
  const examples = readExamples([entryOf("a.ts", "one", "two"), entryOf("b.ts", "one", "three")]);
  assertEquals(examples.map(({ source, code }) => `${source} ${code}`), [
    "a.ts one",
    "a.ts two",
    "b.ts three",
  ]);
  const outputs = { "a.ts": [[["1"]], [["2"]]] } as const;
  assertEquals(
    outputByCode(examples, outputs),
    new Map([["one", [["1"]]], ["two", [["2"]]], ["three", []]]),
  );
});
