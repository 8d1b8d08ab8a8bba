import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import type { SearchEntry } from "../../site/find_entries.ts";
import { listFiles } from "../gate/read_project.ts";
import { buildPage } from "../playground/build_page.ts";
import { Html, html } from "../documents/markdown_table.ts";
import {
  codeOf,
  type Example,
  type OutputLine,
  type Outputs,
  readExamples,
  readOutputs,
} from "./examples/read_examples.ts";
import { layout, type PageContent } from "./layout.ts";
import { plainText, type Rendered, renderMarkdown } from "./markdown/render_markdown.ts";
import {
  parseDocumentation,
  readReference,
  type ReferenceEntry,
} from "./reference/read_reference.ts";
import { referencePages } from "./reference/reference_pages.ts";
import { type SitePage, sitePages } from "./site_pages.ts";

/** What the search knows of a page that is made from Markdown: an entry for each heading. */
function searchPage(path: string, name: string, { parts }: Rendered): SearchEntry[] {
  return parts.map(({ heading, text }) => {
    const isTop = heading === undefined || heading.level === 1;
    const address = isTop ? path : `${path}#${heading.anchor}`;
    return [heading?.title ?? name, name, address, text.trim()];
  });
}

/** What the search knows of the reference: an entry for each name, with its examples and what these show. */
function searchReference(
  entries: readonly ReferenceEntry[],
  outputs: ReadonlyMap<string, readonly OutputLine[]>,
): SearchEntry[] {
  const inExample = (text: string) => {
    const code = codeOf(text);
    return [text.split("\n")[0]!, code, ...(outputs.get(code) ?? []).flat()].join(" ");
  };
  return entries.flatMap(({ specifier, pages }) =>
    pages.flatMap(({ path, symbols }) =>
      symbols.map(({ name, documentation: { text, tags }, signatures }): SearchEntry => {
        const about = tags.filter(({ name }) => name !== "example").map(({ text }) => text);
        const members = signatures.flatMap(({ members }) => members).map((member) =>
          `${member.signature.split(/[?:(]/)[0]}: ${parseDocumentation(member.documentation).text}`
        );
        const words = plainText([text, ...about, ...members].join(" "));
        const examples = tags.filter(({ name }) => name === "example")
          .map(({ text }) => inExample(text).replace(/\s+/g, " "));
        return [name, specifier, `${path}#${name}`, [words, ...examples].join(" ")];
      })
    )
  );
}

/** The script that the search fetches when it is first used; a script, since a page on a disk may fetch no data. */
function searchScript(entries: readonly SearchEntry[]): string {
  return `self.siteSearchEntries=${JSON.stringify(entries)};\n`;
}

/** A page that was made from Markdown, and what it was made of. */
interface MarkdownPage {
  readonly page: SitePage;
  readonly content: PageContent;
  readonly rendered: Rendered;
}

const actions = html`
  <p class="actions">
    <a class="primary" href="guide.html">Start with the guide</a>
    <a href="playground.html">Try it in the browser</a>
    <a href="reference/index.html">Look up a name</a>
  </p>
`;

/** The first paragraph of a page. */
function descriptionOf({ parts }: Rendered): string {
  const text = parts.find(({ text }) => text.trim() !== "")?.text.trim() ?? "";
  return /^.{20,}?[.:](?=\s|$)/s.exec(text)?.[0].replace(/:$/, ".") ?? text.slice(0, 160);
}

function contentOf({ path, name }: SitePage, rendered: Rendered): PageContent {
  const { headings, markup } = rendered;
  const title = headings[0]?.title ?? name;
  const description = descriptionOf(rendered);
  const content = { path, title, description, headings, markup: new Html(markup) };
  if (path === "index.html") {
    const end = markup.indexOf("</p>") + "</p>".length;
    const whole = html`${new Html(markup.slice(0, end))}
${actions}${new Html(markup.slice(end))}`;
    return { ...content, kind: "home", markup: whole };
  }
  return content;
}

/**
 * Makes the pages of the project's Markdown files; one that no page is made from is an error.
 *
 * @param root The project's folder.
 * @param references The page of the reference that describes a file of the library, by the file.
 */
async function markdownPages(
  root: URL,
  references: ReadonlyMap<string, string>,
): Promise<MarkdownPage[]> {
  const known = new Set(sitePages.map(({ source }) => source));
  for (const source of await listFiles(root, "docs", ".md")) {
    if (!known.has(source)) {
      throw new Error(
        `Cannot build the site: scripts/site/site_pages.ts has no page for ${source}`,
      );
    }
  }
  return await Promise.all(sitePages.map(async (page) => {
    // The layout lists the headings.
    const text = (await readFile(new URL(page.source, root), "utf8"))
      .replace(/<!-- generated:contents -->.*?<!-- \/generated:contents -->\n/s, "");
    const rendered = renderMarkdown(text, { source: page.source, page: page.path, references });
    return { page, rendered, content: contentOf(page, rendered) };
  }));
}

/** The output of each example, by its code. */
function outputByCode(
  examples: readonly Example[],
  outputs: Outputs,
): Map<string, readonly OutputLine[]> {
  const bySource = Map.groupBy(examples, ({ source }) => source);
  return new Map(
    [...bySource].flatMap(([source, some]) =>
      some.map(({ code }, index) => [code, outputs[source]?.[index] ?? []])
    ),
  );
}

const folder = new URL("../../site/", import.meta.url);

/** The style and the script of every page, by their paths on the site. */
async function bundleAssets(): Promise<Map<string, string>> {
  try {
    const { outputFiles } = await build({
      ...{ bundle: true, write: false, minify: true, charset: "utf8", legalComments: "none" },
      ...{ platform: "browser", target: "es2022", format: "iife", logLevel: "silent" },
      absWorkingDir: fileURLToPath(new URL("../", folder)),
      entryPoints: ["main.ts", "style/main.css"].map((path) =>
        fileURLToPath(new URL(path, folder))
      ),
      outdir: fileURLToPath(folder),
    });
    const text = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))!.text;
    return new Map([["site.js", text(".js")], ["site.css", text(".css")]]);
  } finally {
    await stop();
  }
}

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
    entries.flatMap(({ pages }) => pages).map(({ source, path }) => [source, path] as const)
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
