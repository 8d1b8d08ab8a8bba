import type { Mutant } from "./mutant.ts";

function inOneLine(text: string): string {
  const short = text.replaceAll(/\s+/g, " ");
  return short.length > 60 ? `${short.slice(0, 57)}…` : short;
}

/** Shows a change in one line, with the place first. */
export function describeMutant({ path, line, column, before, after }: Mutant): string {
  return `${path}:${line}:${column}  ${inOneLine(before)}  →  ${inOneLine(after)}`;
}
