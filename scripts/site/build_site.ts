import { readdir, readFile } from "node:fs/promises";
import { html } from "../report/html.ts";
import { buildPage } from "../playground/build_page.ts";
import { bundleAssets } from "./bundle_assets.ts";
import { readExamples } from "./examples/read_examples.ts";
import { outputByCode } from "./examples/output_by_code.ts";
import { readOutputs } from "./examples/read_outputs.ts";
import { layout, type PageContent } from "./layout.ts";
import { markdownPages } from "./markdown_pages.ts";
import { readReference } from "./reference/read_reference.ts";
import { referencePages } from "./reference/reference_pages.ts";
import { searchPage, searchReference, searchScript } from "./search_index.ts";

const root = new URL("../../", import.meta.url);

const playground: PageContent = {
  ...{ path: "playground.html", title: "Playground", kind: "playground", headings: [] },
  description: "See where streams back up, and run code of yours with a probe in it.",
  markup: html`
    <h1 class="hidden">Playground</h1>
    <iframe src="playground/index.html" title="The playground"></iframe>
  `,
};

async function pictures(): Promise<[string, string][]> {
  const names = await readdir(new URL("docs/images/", root));
  return await Promise.all(names.map(async (name): Promise<[string, string]> => [
    `images/${name}`,
    await readFile(new URL(`docs/images/${name}`, root), "utf8"),
  ]));
}

/** Builds the site: the text of each of its files, by its path. */
export async function buildSite(): Promise<Map<string, string>> {
  const entries = await readReference(root);
  // What two entries export is described in the first of them.
  const references = new Map(
    entries.flatMap(({ pages }) => pages).map((
      { source, path },
    ): [string, string] => [source, path])
      .reverse(),
  );
  const outputs = outputByCode(readExamples(entries), await readOutputs());
  const documents = await markdownPages(root, references);
  const pages = [
    ...documents.map(({ content }) => content),
    ...referencePages(entries, outputs),
    playground,
  ];
  const search = [
    ...searchReference(entries, outputs),
    ...documents.flatMap(({ page, rendered }) => searchPage(page.path, page.name, rendered)),
  ];
  return new Map([
    ...pages.map((page): [string, string] => [page.path, layout(page)]),
    ...await bundleAssets(),
    ["search.js", searchScript(search)],
    ["playground/index.html", await buildPage()],
    ...await pictures(),
  ]);
}
