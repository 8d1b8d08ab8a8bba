import { parseDocumentation, type ReferenceEntry } from "../reference/read_reference.ts";
import { readFile } from "node:fs/promises";

/** What an example shows: a line that it prints, or code that its assertions are about with the value of it. */
export type OutputLine = readonly [printed: string] | readonly [code: string, value: string];

/** What the examples of each file show, in their order. */
export type Outputs = Readonly<Record<string, readonly (readonly OutputLine[])[]>>;

/** Where it is kept, so that building the site runs nothing. */
export const outputsFile: URL = new URL("./outputs.json", import.meta.url);

/** Reads what the examples showed when `write_outputs.ts` ran them last. */
export async function readOutputs(): Promise<Outputs> {
  return JSON.parse(await readFile(outputsFile, "utf8"));
}

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
