import { Marked, type Tokens } from "marked";
import { escapeHtml } from "../../report/html.ts";
import { Anchors } from "./anchors.ts";
import { codeBlock } from "./code_block.ts";
import { plainText } from "./plain_text.ts";
import { type LinkPlace, resolveLink } from "./resolve_link.ts";

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
