import { parseDocumentation } from "../reference/parse_documentation.ts";
import type { ReferenceEntry } from "../reference/read_reference.ts";

/** An example of the reference. */
export interface Example {
  /** The file whose comment it stands in. */
  readonly source: string;
  readonly code: string;
}

/** The program in the text of an `@example`; empty if there is none. */
export function codeOf(text: string): string {
  return /```(?:ts|js)\b[^\n]*\n([\s\S]*?)\n?```/.exec(text)?.[1] ?? "";
}

/** The examples of every export, each once. */
export function readExamples(entries: readonly ReferenceEntry[]): Example[] {
  const found = new Map<string, Example>();
  for (const { source, symbols } of entries.flatMap(({ pages }) => pages)) {
    // A function with overloads has a comment for each of them.
    const tags = symbols.flatMap(({ signatures }) => signatures)
      .flatMap(({ documentation }) => parseDocumentation(documentation).tags);
    for (const { name, text } of tags) {
      const code = codeOf(text);
      if (name === "example" && code !== "" && !found.has(code)) found.set(code, { source, code });
    }
  }
  return [...found.values()];
}
