import { alignColumns } from "../../bench/tables/align_columns.ts";
import { semanticsProbes } from "../../scenarios/semantics/probes.ts";
import { wrapProse } from "../command_line/wrap_prose.ts";
import { answerTable } from "./answer_table.ts";
import type { Measured } from "./measured.ts";

/** Every question with its answers, for a terminal of 80 columns. */
export function renderAnswers(measured: readonly Measured[]): string {
  return semanticsProbes.map((probe) => {
    const { head, body, differences } = answerTable(probe, measured);
    return [
      probe.question,
      wrapProse(probe.note, 80),
      "",
      ...alignColumns([head, ...body]),
      ...differences.map((line) => `* ${line}`),
    ].join("\n");
  }).join("\n\n\n");
}
