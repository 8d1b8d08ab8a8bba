import type { Expander } from "./expander.ts";

/** Creates the step that removes U+FEFF from the very start of a text that comes in chunks. */
export function createByteOrderMarkRemover(): Expander<string, string> {
  let atStart = true;
  return {
    push(text) {
      if (text === "") return [];
      const rest = atStart && text.startsWith("\uFEFF") ? text.slice(1) : text;
      atStart = false;
      return rest === "" ? [] : [rest];
    },
    end: () => [],
  };
}
