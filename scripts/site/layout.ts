import { type Html, html } from "../documents/markdown_table.ts";
import type { Heading } from "./markdown/render_markdown.ts";
import { pageGroups, relativePath } from "./site_pages.ts";

/** Where the reference and the playground stand among the other groups. */
const referenceGroup = {
  name: "Look up",
  pages: [
    { path: "reference/index.html", name: "API reference" },
    { path: "playground.html", name: "Playground" },
  ],
};
const groups = [...pageGroups.slice(0, 1), referenceGroup, ...pageGroups.slice(1)];

/**
 * The list of all pages, with the one that it stands on marked.
 *
 * @param page The path of that page.
 * @param inside What is listed below the reference, on its pages.
 */
function navigation(page: string, inside?: Html): Html {
  return html`${
    groups.map(({ name, pages }) =>
      html`
        <h2>${name}</h2>
        <ul>
        ${pages.map(({ path, name }) =>
          html`
            <li><a href="${relativePath(page, path)}"${path === page
              ? html`
                aria-current="page"
              `
              : undefined}>${name}</a>${path === "reference/index.html" ? inside : undefined}</li>
          `
        )}</ul>
      `
    )
  }`;
}

/** What a page holds. */
export interface PageContent {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly markup: Html;
  /** For the table of contents. */
  readonly headings: readonly Heading[];
  /** Names for its look, such as `home`. */
  readonly kind?: string;
  /** What stands in the navigation below the page's own name. */
  readonly inside?: Html | undefined;
}

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "frame-src 'self'; base-uri 'none'; form-action 'none'";
const icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Cpath d='M1 5h14v6H1z' fill='%230072b2'/%3E%3Cpath d='M5 5v6M9 5v6' stroke='%23fff'/%3E%3C/svg%3E";

/** The headings of a page that its table of contents lists; nothing for a page with few. */
function contents(headings: readonly Heading[]): Html | undefined {
  const listed = headings.filter(({ level }) => level === 2 || level === 3);
  if (listed.length < 2) return undefined;
  const items = listed.map(({ level, anchor, title }) =>
    html`
      <li class="level-${level}"><a href="#${anchor}">${title}</a></li>
    `
  );
  return html`
    <aside class="contents">
      <details>
        <summary>On this page</summary>
        <nav aria-label="On this page">
          <ul>
    ${items}</ul>
        </nav>
      </details>
    </aside>
  `;
}

/** A whole page of the site. */
export function layout(page: PageContent): string {
  const to = (path: string) => relativePath(page.path, path);
  const isHome = page.path === "index.html";
  const title = isHome
    ? `${page.title}: ${page.description.replace(/\.$/, "")}`
    : `${page.title} · hosepipe`;
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="description" content="${page.description}">
        <meta http-equiv="Content-Security-Policy" content="${policy}">
        <link rel="icon" href="${icon}">
        <link rel="stylesheet" href="${to("site.css")}">
        <script defer src="${to("site.js")}" data-root="${to("index.html").slice(0, -10)}"></script>
        <title>${title}</title>
      </head>
      <body class="${page.kind ?? "text"}">
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <button type="button" class="menu-button" popovertarget="menu">Menu</button>
          <a class="brand" href="${to("index.html")}">hosepipe</a>
          <button type="button" class="search-button" data-do="search">Search <kbd>/</kbd></button>
          <nav aria-label="Main">
            <a href="${to("guide.html")}">Guide</a>
            <a href="${to("reference/index.html")}">Reference</a>
            <a href="${to("benchmarks.html")}">Benchmarks</a>
            <a href="${to("playground.html")}">Playground</a>
            <a href="https://github.com/hosepipe/streams">GitHub</a>
          </nav>
        </header>
        <div class="columns">
    <nav id="menu" class="menu" aria-label="Pages" popover>
    ${navigation(page.path, page.inside)}</nav>
    ${contents(page.headings)}
    <main id="content" tabindex="-1">
    ${page.markup}</main>
        </div>
      </body>
    </html>
  `.text.trim() + "\n";
}
