import { drawFacts } from "../semantics/draw_facts.ts";
import { latestMeasured } from "../semantics/latest_measured.ts";
import { summarize } from "../semantics/summarize.ts";
import { wrapProse } from "../command_line/wrap_prose.ts";

/** What a high-water mark does, by the newest committed tables of the three runtimes; each with a picture. */
export function semanticsSummary(): string {
  const measured = latestMeasured();
  const pictures = drawFacts(measured);
  return summarize(measured).map((sentence, index) => {
    const [first, ...rest] = wrapProse(sentence, 97).split("\n");
    const picture = pictures[index] === undefined
      ? []
      : ["", "```text", ...pictures[index].split("\n"), "```", ""];
    return [
      `${index + 1}. ${first}`,
      ...[...rest, ...picture].map((line) => line === "" ? "" : `   ${line}`),
    ].join("\n");
  }).join("\n");
}
