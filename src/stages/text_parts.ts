import type { Parts } from "./delimiter_splitter.ts";

/** What a splitter must know of text. */
export class TextParts implements Parts<string> {
  find(whole: string, delimiter: string, start: number): number {
    return whole.indexOf(delimiter, start);
  }

  view(whole: string, start: number, end: number): string {
    return whole.slice(start, end);
  }

  copy(whole: string, start: number, end: number): string {
    return whole.slice(start, end);
  }

  join(parts: readonly string[]): string {
    return parts.join("");
  }
}
