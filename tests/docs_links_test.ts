import { assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { anchorOf } from "../scripts/site/markdown/anchors.ts";

const root = new URL("../", import.meta.url);
const ours = "https://github.com/hosepipe/streams/blob/main/";
const docs = await readdir(new URL("docs/", root), { recursive: true });
const pages = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "llms.txt"],
  ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
];

/** The anchors that GitHub gives a page's headings. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replace(/^```.*?^```/gms, "").matchAll(/^#+ (.*)$/gm);
  return new Set(Array.from(headings, ([, title]) => anchorOf(title!)));
}

/** The links of a page that lead into the project, as URLs of its files. */
function linksOf(page: string, text: string): URL[] {
  const written = text.replace(/^```.*?^```/gms, "").matchAll(/\]\(([^)\s]+)\)/g);
  return Array.from(written, ([, link]) => link!)
    .map((link) => link.startsWith(ours) ? new URL(link.slice(ours.length), root) : link)
    .filter((link) => link instanceof URL || !/^[a-z]+:/.test(link))
    .map((link) => link instanceof URL ? link : new URL(link, new URL(page, root)));
}

for (const page of pages) {
  test(`links of ${page} lead to files and headings that are there`, async () => {
    const broken: string[] = [];
    for (const link of linksOf(page, await readFile(new URL(page, root), "utf8"))) {
      const file = new URL(link.pathname, root);
      // Made when the package is packed.
      if (file.pathname.endsWith("/llms-full.txt")) continue;
      const isThere = existsSync(file) &&
        (link.hash === "" ||
          anchorsOf(await readFile(file, "utf8")).has(decodeURIComponent(link.hash.slice(1))));
      if (!isThere) broken.push(link.href.slice(root.href.length));
    }
    assertEquals(broken, []);
  });
}
