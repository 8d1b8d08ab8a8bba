import type { Expander } from "./expander.ts";

/**
 * Creates the step that splits text into lines as `TextLineStream` of `@std/streams` does: at `\n` or
 * `\r\n`; a lone `\r` is text, and what follows the last line feed is a line if it is not empty.
 */
export function createLineSplitter(): Expander<string, string> {
  // Pieces of an unfinished line are joined once, at its end: a line of many chunks stays linear.
  let pending: string[] = [];
  return {
    push(text) {
      if (text === "") return [];
      pending.push(text);
      if (!text.includes("\n")) return [];
      const lines = pending.join("").split("\n");
      const rest = lines.pop()!;
      pending = rest === "" ? [] : [rest];
      for (let index = 0; index < lines.length; index++) {
        const line = lines[index]!;
        if (line.endsWith("\r")) lines[index] = line.slice(0, -1);
      }
      return lines;
    },
    end() {
      const line = pending.join("");
      pending = [];
      return line === "" ? [] : [line];
    },
  };
}
