import { posix } from "node:path";
import { Marked, type Tokens } from "marked";
import { escapeHtml, Html, html } from "../../documents/markdown_table.ts";
import { playgroundLink, relativePath, runsInPlayground, sitePages } from "../site_pages.ts";
import Prism from "prismjs/components/prism-core.js";
import "prismjs/components/prism-clike.js";
import "prismjs/components/prism-javascript.js";
import "prismjs/components/prism-typescript.js";
import "prismjs/components/prism-json.js";

/** The words of a piece of Markdown without its marks. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/^```.*$/gm, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*|`/g, "")
    .replace(/^\|?[\s|:-]*$/gm, "")
    .replace(/\s*\|\s*/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

const names: Readonly<Record<string, string>> = {
  ...{ ts: "typescript", typescript: "typescript" },
  ...{ js: "javascript", javascript: "javascript", json: "json" },
};

/** Code as markup, coloured where its language is known. */
export function highlight(code: string, language: string): string {
  const name = names[language];
  if (name === undefined) return escapeHtml(code);
  return Prism.highlight(code, Prism.languages[name]!, name);
}

/** The anchor that GitHub gives a heading. */
export function anchorOf(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
}

/** The anchors of one page, where a second heading of the same name gets a number. */
export class Anchors {
  readonly #seen = new Map<string, number>();

  /** The anchor of the page's next heading. */
  next(title: string): string {
    const anchor = anchorOf(title);
    const count = this.#seen.get(anchor) ?? 0;
    this.#seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }
}

const repository = "https://github.com/hosepipe/streams";
const raw = "https://raw.githubusercontent.com/hosepipe/streams/main/";
const pathBySource = new Map(sitePages.map(({ source, path }) => [source, path]));

/** Which file of the project a link leads to; `undefined` for one that leads elsewhere. */
function projectPath(source: string, link: string): string | undefined {
  for (const start of [`${repository}/blob/main/`, `${repository}/tree/main/`, raw]) {
    if (link.startsWith(start)) return link.slice(start.length);
  }
  if (/^[a-z]+:/i.test(link)) return undefined;
  return posix.normalize(posix.join(posix.dirname(source), link));
}

/** Where a link stands. */
interface LinkPlace {
  /** The file in the project that holds it. */
  readonly source: string;
  /** The page that is made from the file. */
  readonly page: string;
  /** The page of the reference that describes a file of the library, by the file. */
  readonly references?: ReadonlyMap<string, string>;
}

/**
 * Makes a link of a Markdown file one of the site: to its own pages and pictures where it has them, and to the
 * repository where it has not.
 */
function resolveLink(link: string, { source, page, references }: LinkPlace): string {
  if (link.startsWith("#")) return link;
  const [, address, hash] = /^([^#]*)(.*)$/.exec(link)!;
  const file = projectPath(source, address!);
  if (file === undefined) return link;
  const own = pathBySource.get(file) ?? references?.get(file);
  if (own !== undefined) return relativePath(page, own) + hash;
  if (file.startsWith("docs/images/")) return relativePath(page, file.slice("docs/".length));
  if (/^playground\/?$/.test(file)) return relativePath(page, "playground.html");
  const isFolder = !/\.[a-z]+$|^LICENSE$/i.test(file);
  return `${repository}/${isFolder ? "tree" : "blob"}/main/${file.replace(/\/$/, "")}${hash}`;
}

/** A block of code, with the way to the playground where it can run there. */
function codeBlock(page: string, code: string, language: string): Html {
  const isProgram = /^(?:ts|js|typescript|javascript)$/.test(language);
  const link = isProgram && runsInPlayground(code)
    ? html`<a class="run" href="${playgroundLink(page, code)}">Open in playground</a>`
    : undefined;
  return html`
    <div class="code"><pre><code>${new Html(
      highlight(code.trimEnd(), language),
    )}</code></pre>${link}</div>
  `;
}

/** A heading of a page. */
export interface Heading {
  readonly level: number;
  readonly title: string;
  /** The same as markup. */
  readonly markup: string;
  readonly anchor: string;
}

/** A part of a page as the search sees it: a heading, and the words up to the next. */
export interface TextPart {
  readonly heading: Heading | undefined;
  text: string;
}

/** A Markdown file as markup. */
export interface Rendered {
  readonly markup: string;
  readonly headings: readonly Heading[];
  readonly parts: readonly TextPart[];
}

/**
 * Makes markup of Markdown.
 *
 * @param text The Markdown.
 * @param place Where it stands: its links start from there.
 */
export function renderMarkdown(text: string, place: LinkPlace): Rendered {
  const anchors = new Anchors();
  const headings: Heading[] = [];
  const parts: TextPart[] = [];
  const resolve = (link: string) => resolveLink(link, place);
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const title = plainText(text);
        const heading = {
          ...{ level: depth, title, anchor: anchors.next(title) },
          markup: this.parser.parseInline(tokens),
        };
        headings.push(heading);
        const { anchor, markup } = heading;
        return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${markup}</a></h${depth}>\n`;
      },
      code({ text, lang = "" }) {
        return codeBlock(place.page, text, lang.split(/[ ,]/)[0]!).text;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(resolve(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }) {
        return `<img src="${escapeHtml(resolve(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      html({ text }) {
        return text.replace(/<!--[\s\S]*?-->/g, "").replace(
          /\b(src|srcset|href)="([^"]*)"/g,
          (_, name, link) => `${name}="${resolve(link)}"`,
        );
      },
    },
  });
  const tokens = marked.lexer(text);
  const markup = marked.parser(tokens)
    .replaceAll("<table>", '<div class="table"><table>').replaceAll("</table>", "</table></div>")
    .replace(/<th([^>]*)><\/th>/g, "<td$1></td>");
  let next = 0;
  for (const token of tokens) {
    if (token.type === "heading") parts.push({ heading: headings[next++], text: "" });
    else if (token.type !== "space" && token.type !== "html") {
      if (parts.length === 0) parts.push({ heading: undefined, text: "" });
      parts.at(-1)!.text += ` ${plainText((token as Tokens.Generic).raw)}`;
    }
  }
  return { markup, headings, parts };
}
