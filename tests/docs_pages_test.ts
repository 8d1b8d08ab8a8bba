import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { contents } from "../scripts/documents/contents.ts";

const docs = new URL("../docs/", import.meta.url);
const names = (await readdir(docs, { recursive: true }))
  .filter((name) => name.endsWith(".md") && name !== "README.md");

for (const name of names) {
  test(`docs/${name} opens with what it is for, and has contents if it is long`, async () => {
    const text = await readFile(new URL(name, docs), "utf8");
    const [title, first] = text.split("\n\n");
    assertMatch(title!, /^# \S/);
    assertNotMatch(first!, /^For (?:readers|people|those|anyone)\b/, first);
    const length = text.split("\n").length - 1;
    if (length > 150) {
      const [, list] = /<!-- generated:contents -->\n\n(.*?)\n\n<!-- /s.exec(text) ?? [];
      assertEquals(list, contents(text), "deno task dev readme writes it");
    }
  });
}

test("a page of the documentation has at most 600 lines", async () => {
  const lengths = await Promise.all(names.map(async (name) => {
    const lines = (await readFile(new URL(name, docs), "utf8")).split("\n").length - 1;
    return lines > 600 ? [`${name}: ${lines}`] : [];
  }));
  assertEquals(lengths.flat(), []);
});

test("contents list the headings of the second level, with the anchors that they get", () => {
  const page = "# A\n\n## One, two\n\n```md\n## No\n```\n\n### Deep\n\n## One, two\n";
  assertEquals(contents(page), "- On this page: [One, two](#one-two), [One, two](#one-two-1)");
});

const words = [..."one two three four five six seven eight nine ten eleven twelve".split(" ")];
const readPage = (path: string) => readFile(new URL(`../${path}`, import.meta.url), "utf8");

test("numbers of things that two pages name are those that are listed", async () => {
  const differences = (await readPage("docs/differences.md"))
    .match(/^## What differs from native streams\n.*?^Every schedule/ms)![0].match(/^\d+\. /gm)!;
  for (const path of ["README.md", "docs/differences.md"]) {
    const [, count] = /(\w+) deliberate differences/.exec(await readPage(path))!;
    assertEquals(words.indexOf(count!) + 1, differences.length, path);
  }
  const steps = (await readPage("docs/guide.md")).match(/^## \d+\. /gm)!;
  for (const path of ["docs/README.md", "docs/guide.md"]) {
    const [, count] = /\bin (\w+) steps/.exec(await readPage(path))!;
    assertEquals(words.indexOf(count!) + 1, steps.length, path);
  }
});

test("sizes and speeds of hosepipe stand on no page but between marks", async () => {
  for (const name of ["README.md", ...names.map((name) => `docs/${name}`), "llms.txt"]) {
    if (/benchmarks|extract|testing/.test(name)) continue;
    const typed = (await readPage(name))
      .replaceAll(/<!-- ((?:generated|frozen):\S+) -->.*?<!-- \/\1 -->/gs, "");
    const found = typed.match(/\d KiB,? gzipped|\d(?:×| times as (?:fast|long))/g);
    assertEquals(found, null, name);
  }
});
