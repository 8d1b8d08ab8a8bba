import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { readExpected } from "../semantics/expected_table.ts";
import { summarize } from "../semantics/summarize.ts";
import { wrapProse } from "./wrap_prose.ts";

/** What a high-water mark does, by the newest committed tables of the three runtimes. */
export function semanticsSummary(): string {
  const measured = runtimeNames.map((name) => {
    const { version, facts } = readExpected(name);
    return { name, version, facts };
  });
  return summarize(measured).map((sentence, index) => {
    const [first, ...rest] = wrapProse(sentence, 97).split("\n");
    return [`${index + 1}. ${first}`, ...rest.map((line) => `   ${line}`)].join("\n");
  }).join("\n");
}
