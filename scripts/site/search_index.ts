import type { SearchEntry } from "../../site/find_entries.ts";
import type { Rendered } from "./markdown/render_markdown.ts";
import { plainText } from "./markdown/plain_text.ts";
import { parseDocumentation } from "./reference/parse_documentation.ts";
import type { OutputLine } from "./examples/output_line.ts";
import { codeOf } from "./examples/read_examples.ts";
import type { ReferenceEntry } from "./reference/read_reference.ts";

/** What the search knows of a page that is made from Markdown: an entry for each heading. */
export function searchPage(path: string, name: string, { parts }: Rendered): SearchEntry[] {
  return parts.map(({ heading, text }) => {
    const isTop = heading === undefined || heading.level === 1;
    const address = isTop ? path : `${path}#${heading.anchor}`;
    return [heading?.title ?? name, name, address, text.trim()];
  });
}

/** What the search knows of the reference: an entry for each name, with its examples and what these show. */
export function searchReference(
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
export function searchScript(entries: readonly SearchEntry[]): string {
  return `self.siteSearchEntries=${JSON.stringify(entries)};\n`;
}
