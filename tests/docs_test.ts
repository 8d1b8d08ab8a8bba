import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { listFiles } from "../scripts/gate/read_project.ts";
import { contents } from "../scripts/readme.ts";
import { anchorOf } from "../scripts/site/markdown/render_markdown.ts";

const root = new URL("../", import.meta.url);
const ours = "https://github.com/hosepipe/streams/blob/main/";
const docs = await readdir(new URL("docs/", root), { recursive: true });
const pages = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "llms.txt"],
  ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
];
const folders = ["scenarios", "src", "tests", "scripts", "bench", "node_compat"];
const folderReadmes =
  (await Promise.all(folders.map((folder) => listFiles(root, folder, "README.md"))))
    .flat();

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
      const isThere = existsSync(file) &&
        (link.hash === "" ||
          anchorsOf(await readFile(file, "utf8")).has(decodeURIComponent(link.hash.slice(1))));
      if (!isThere) broken.push(link.href.slice(root.href.length));
    }
    assertEquals(broken, []);
  });
}

for (const page of [...pages, ...folderReadmes].filter((page) => page !== "CHANGELOG.md")) {
  test(`the files that ${page} names are there`, async () => {
    const text = await readFile(new URL(page, root), "utf8");
    const named = [...text.matchAll(
      /`((?:src|tests|scripts|scenarios|bench|playground|site|cli|runtimes|node_compat)\/[\w./]+)`/g,
    )].map(([, path]) => new URL(path!, root));
    const beside = folderReadmes.includes(page)
      ? [...text.matchAll(/`(\w+\.ts)`/g)].map(([, name]) => new URL(name!, new URL(page, root)))
      : [];
    const missing = [...named, ...beside].filter((file) => !existsSync(file));
    assertEquals(missing.map(({ href }) => href.slice(root.href.length)), []);
  });
}

const docsOfDocsPages = new URL("../docs/", import.meta.url);
const names = (await readdir(docsOfDocsPages, { recursive: true }))
  .filter((name) => name.endsWith(".md") && name !== "README.md");

for (const name of names) {
  test(`docs/${name} opens with what it is for, and has contents if it is long`, async () => {
    const text = await readFile(new URL(name, docsOfDocsPages), "utf8");
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
    const lines = (await readFile(new URL(name, docsOfDocsPages), "utf8")).split("\n").length - 1;
    return lines > 600 ? [`${name}: ${lines}`] : [];
  }));
  assertEquals(lengths.flat(), []);
});
const readPage = (path: string) => readFile(new URL(`../${path}`, import.meta.url), "utf8");

test("sizes and speeds of hosepipe stand on no page but between marks", async () => {
  for (const name of ["README.md", ...names.map((name) => `docs/${name}`), "llms.txt"]) {
    if (/benchmarks|extract|testing/.test(name)) continue;
    const typed = (await readPage(name))
      .replaceAll(/<!-- ((?:generated|frozen):\S+) -->.*?<!-- \/\1 -->/gs, "");
    const found = typed.match(/\d KiB,? gzipped|\d(?:×| times as (?:fast|long))/g);
    assertEquals(found, null, name);
  }
});

const text = await readFile(new URL("README.md", root), "utf8");

test("the README has at most 120 lines", () => {
  const lines = text.split("\n").length - 1;
  assert(lines <= 120, `it has ${lines}`);
});

test("links of the README are absolute and lead to files of the project", () => {
  const targets = [...text.matchAll(/\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g)]
    .map(([, link, image]) => (link ?? image)!);
  assert(targets.length > 10);
  for (const target of targets) {
    const path =
      /^https:\/\/(?:github\.com\/hosepipe\/streams\/blob|raw\.githubusercontent\.com\/hosepipe\/streams)\/main\/([^#]+)/
        .exec(target)?.[1];
    assert(path !== undefined, `${target} is not absolute`);
    assert(existsSync(new URL(path!, root)), `${target} leads nowhere`);
  }
});

test("the README's code runs as it is", async () => {
  const blocks = Array.from(text.matchAll(/```ts\n(.*?)```/gs), ([, code]) => code!);
  assertEquals(blocks.length, 1);
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-readme-"));
  const library = JSON.stringify(new URL("mod.ts", root).href);
  const { log } = console;
  try {
    for (const [index, code] of blocks.entries()) {
      const file = join(folder, `block_${index}.ts`);
      await writeFile(file, code.replace('"@hosepipe/streams"', library));
      const printed: unknown[] = [];
      console.log = (line) => void printed.push(line);
      await import(pathToFileURL(file).href);
      assertEquals(printed, ["Ada"]);
    }
  } finally {
    console.log = log;
    await rm(folder, { recursive: true });
  }
});
