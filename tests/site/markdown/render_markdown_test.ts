import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { renderMarkdown } from "../../../scripts/site/markdown/render_markdown.ts";

const place = { source: "docs/a.md", page: "a.html" };

test("headings get anchors, those of one name different ones", () => {
  const { headings, markup } = renderMarkdown("# `a` & b\n\n## Same\n\n## Same\n", place);
  assertEquals(headings.map(({ anchor }) => anchor), ["a--b", "same", "same-1"]);
  assertMatch(markup, /<h2 id="same-1"><a class="anchor" href="#same-1">Same<\/a><\/h2>/);
});

test("each heading has the words below it, for the search", () => {
  const { parts } = renderMarkdown(
    "# A\n\nOne **word**.\n\n```ts\nconst a = 1;\n```\n\n## B\n\n| a | b |\n| - | - |\n| c | d |\n",
    place,
  );
  assertEquals(parts.map(({ heading, text }) => [heading?.title, text.trim()]), [
    ["A", "One word. const a = 1;"],
    ["B", "a b c d"],
  ]);
});

test("text is escaped, in code and outside of it", () => {
  const { markup } = renderMarkdown("a < b\n\n```sh\necho <b>\n```\n\n`<i>`\n", place);
  assertMatch(markup, /a &lt; b/);
  assertMatch(markup, /echo &lt;b&gt;/);
  assertMatch(markup, /<code>&lt;i&gt;<\/code>/);
});

test("a header without a name is no header, and tables can be scrolled", () => {
  const { markup } = renderMarkdown("|  | b |\n| - | - |\n| c | d |\n", place);
  assertEquals(markup.includes("<th></th>"), false);
  assertMatch(markup, /<div class="table"><table>/);
});

test("only code that runs in a browser has a link to the playground", () => {
  const linkOf = (code: string, language = "ts") =>
    /class="run" href="([^"]*)"/.exec(
      renderMarkdown(`\`\`\`${language}\n${code}\n\`\`\`\n`, place).markup,
    )?.[1];
  const own = 'import { map } from "@hosepipe/streams";';
  assertMatch(linkOf(own)!, /^playground\/index\.html#code=[\w-]+$/);
  assert(linkOf(`${own}\nimport { assertEquals } from "@std/assert";`) !== undefined);
  assertEquals(linkOf(`${own}\nimport { once } from "node:events";`), undefined);
  assertEquals(linkOf(`${own}\nconst s = Deno.serve(() => {});`), undefined);
  assertEquals(linkOf(`${own}\nawait import("pg");`), undefined);
  assertEquals(linkOf("const a = 1;"), undefined);
  assertEquals(linkOf(own, "sh"), undefined);
  // In a comment it is only named.
  assert(linkOf(`${own} // or await fetch(url)`) !== undefined);
});
