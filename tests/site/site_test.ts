import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { listExports } from "../../scripts/gate/list_exports.ts";
import { readProject } from "../../scripts/gate/read_project.ts";
import { readExamples, readOutputs } from "../../scripts/site/examples/read_examples.ts";
import { runExamples } from "../../scripts/site/examples/run_examples.ts";
import { readReference } from "../../scripts/site/reference/read_reference.ts";
import { builtSite } from "./_built.ts";

/** The ids of a page's elements. */
function idsOf(markup: string): Set<string> {
  return new Set(Array.from(markup.matchAll(/\sid="([^"]*)"/g), ([, id]) => id!));
}

/** The links of a site's pages, and what they load, that lead to nothing in it. */
function brokenLinks(files: ReadonlyMap<string, string>): string[] {
  const pages = [...files].filter(([path]) =>
    path.endsWith(".html") && !path.startsWith("playground/")
  );
  const ids = new Map(pages.map(([path, markup]) => [path, idsOf(markup)]));
  const broken: string[] = [];
  for (const [path, markup] of pages) {
    for (const [, link] of markup.matchAll(/\s(?:href|src|srcset)="([^"]*)"/g)) {
      if (/^(?:https?|data|mailto):/.test(link!)) continue;
      const [, address, hash] = /^([^#]*)#?(.*)$/.exec(link!)!;
      const target = address === "" ? path : posix.join(posix.dirname(path), address!);
      const isThere = files.has(target) &&
        (hash === "" || !ids.has(target) || ids.get(target)!.has(decodeURIComponent(hash!)));
      if (!isThere) broken.push(`${path}: ${link}`);
    }
  }
  return broken;
}

const root = new URL("../..", import.meta.url);

test("every link and every anchor of the site leads somewhere", async () => {
  assertEquals(brokenLinks(await builtSite()), []);
});

test("no page loads anything from another place", async () => {
  for (const [path, text] of await builtSite()) {
    if (!path.endsWith(".html")) continue;
    assertEquals(
      text.match(/<(?:script|img|link|iframe|source)\b[^>]*(?:src|srcset|href)="https?:[^>]*>/g),
      null,
      path,
    );
    assert(/content="default-src (?:'|&#39;)none/.test(text), path);
  }
  const style = (await builtSite()).get("site.css")!;
  assertEquals(style.match(/@import|url\(/g), null);
});

test("the reference has every export of every entry, and each function has its example", async () => {
  const site = await builtSite();
  const { exports } = JSON.parse(await readFile(new URL("deno.json", root), "utf8"));
  const files = await readProject(["src", "node_compat"], root);
  const missing: string[] = [];
  for (const [subpath, file] of Object.entries(exports as Record<string, string>)) {
    const folder = subpath === "." ? "streams" : subpath.slice(2).replaceAll("/", "-");
    const pages = [...site].filter(([path]) => path.startsWith(`reference/${folder}/`));
    for (const { name, isType } of listExports(file.slice(2), files)) {
      const page = pages.find(([path, text]) =>
        !path.endsWith("/index.html") && text.includes(`<h2 id="${name}"`)
      );
      if (page === undefined || !isType && !page[1].includes(">Example")) {
        missing.push(`${subpath}: ${name}`);
      }
    }
  }
  assertEquals(missing, []);
});

// If it fails: deno run -A scripts/site/examples/write_outputs.ts, with POSTGRES_URI and REDIS_URI.
test("the outputs under the examples of the reference are those of now", async () => {
  const committed = await readOutputs();
  const outputs = await runExamples(readExamples(await readReference(root)), committed);
  assertEquals(outputs, committed);
});
