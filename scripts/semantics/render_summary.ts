import { wrapProse } from "../command_line/wrap_prose.ts";
import type { Measured } from "./measured.ts";
import { summarize } from "./summarize.ts";

/** What a high-water mark does, in a few sentences for a terminal of 80 columns. */
export function renderSummary(measured: readonly Measured[]): string {
  return [
    "What does highWaterMark do? Measured just now:",
    "",
    ...summarize(measured).flatMap((sentence, index) => {
      const [first, ...rest] = wrapProse(sentence, 77).split("\n");
      return [`${index + 1}. ${first}`, ...rest.map((line) => `   ${line}`)];
    }),
    "",
    "Every table, errors and endings included: deno task dev semantics --all",
  ].join("\n");
}
