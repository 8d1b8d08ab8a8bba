import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { replaceGenerated } from "../../../scripts/documents/replace_generated.ts";

const document = `# Title
<!-- generated:one -->
old
<!-- /generated:one -->
between
<!-- generated:two -->
<!-- /generated:two -->
end
`;

test("only what stands between the marks changes, and twice is as once", () => {
  const once = replaceGenerated(document, (name) => `new ${name} with $& in it\n`);
  assertEquals(
    once,
    `# Title
<!-- generated:one -->

new one with $& in it

<!-- /generated:one -->
between
<!-- generated:two -->

new two with $& in it

<!-- /generated:two -->
end
`,
  );
  assertEquals(replaceGenerated(once, (name) => `new ${name} with $& in it\n`), once);
});

test("a document without marks stays as it is", () => {
  const text = "Write `<!-- generated:NAME -->` on a line of its own.\n";
  assertEquals(replaceGenerated(text, () => "never"), text);
});

test("a block that is not closed, or closed by another, is an error", () => {
  for (const text of ["<!-- generated:a -->\n", "<!-- generated:a -->\n<!-- /generated:b -->\n"]) {
    assertThrows(() => replaceGenerated(text, () => "new"), Error, "1 opened, 0 whole");
  }
});
