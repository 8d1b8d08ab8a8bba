import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { parseDocumentation } from "../../../scripts/site/reference/parse_documentation.ts";

test("a comment is taken apart into its text and its tags", () => {
  const { text, tags } = parseDocumentation(`/**
 * Gathers chunks, as {@linkcode batch} does.
 *
 * Second paragraph.
 *
 * @param size How many chunks
 * make a batch.
 * @throws {TypeError} If it is none.
 *
 * @example Pairs
 * \`\`\`ts
 * import { batch } from "@hosepipe/streams";
 * @decorated
 *   indented();
 * \`\`\`
 */`);
  assertEquals(text, "Gathers chunks, as `batch` does.\n\nSecond paragraph.");
  assertEquals(tags, [
    { name: "param", text: "size How many chunks\nmake a batch." },
    { name: "throws", text: "{TypeError} If it is none." },
    {
      name: "example",
      text:
        'Pairs\n```ts\nimport { batch } from "@hosepipe/streams";\n@decorated\n  indented();\n```',
    },
  ]);
});

test("a comment of one line, and none", () => {
  assertEquals(parseDocumentation("/** One line. */"), { text: "One line.", tags: [] });
  assertEquals(parseDocumentation(""), { text: "", tags: [] });
});
