import { readFile } from "node:fs/promises";
import { Html, html } from "../report/html.ts";
import { listFiles } from "../gate/list_files.ts";
import type { PageContent } from "./layout.ts";
import { type Rendered, renderMarkdown } from "./markdown/render_markdown.ts";
import { type SitePage, sitePages } from "./site_pages.ts";

/** A page that was made from Markdown, and what it was made of. */
export interface MarkdownPage {
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
  if (path === "index.html") {
    const end = markup.indexOf("</p>") + "</p>".length;
    return {
      ...{
        path,
        title: headings[0]!.title,
        description: descriptionOf(rendered),
        kind: "home",
        headings,
      },
      markup: html`${new Html(markup.slice(0, end))}
${actions}${new Html(markup.slice(end))}`,
    };
  }
  const title = headings[0]?.title ?? name;
  return { path, title, description: descriptionOf(rendered), headings, markup: new Html(markup) };
}

/**
 * Makes the pages of the project's Markdown files; one that no page is made from is an error.
 *
 * @param root The project's folder.
 * @param references The page of the reference that describes a file of the library, by the file.
 */
export async function markdownPages(
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
