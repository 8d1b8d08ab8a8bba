import { judges, type OthersRow, othersRows } from "../../../bench/others/rows.ts";
import { bestOverBestRange, ratioRange, type RowQuery } from "../../../bench/results/ranges.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import { type RuntimeName, runtimeNames } from "../../../runtimes/current_runtime.ts";
import { markdownTable } from "../markdown_table.ts";
import { notMeasured } from "../not_measured.ts";
import { readRunsOf } from "./read_runs_of.ts";
import { runsProvenance } from "./runs_provenance.ts";
import { writeRatioRange } from "./write_range.ts";

const workload = "others";
const native = ["web", "web-16"];
const ours = ["pipeline", "pipeline-16"];
const peers = ["node", "stream_iter", "fast-webstreams", "new-streams"];
const nothing = "–";

/** Where the rival reads an array in memory, so does ours. */
const oursBeside = (contestant: string) =>
  contestant === "new-streams" ? "pipeline-own-ends" : "pipeline";

const query = (contestant: string, runtime: RuntimeName, row: string): RowQuery => ({
  ...{ workload, contestant, runtime, params: { row } },
});

/** Native streams over ours, both at their better marks. */
function nativeCell(runs: readonly ResultFile[], runtime: RuntimeName, row: string): string {
  const queries = (contestants: readonly string[]) =>
    contestants.map((contestant) => query(contestant, runtime, row));
  const range = bestOverBestRange(runs, queries(native), queries(ours));
  return range === undefined ? nothing : writeRatioRange(range);
}

/** The fastest of the others in Node, over ours. */
function peerCell(runs: readonly ResultFile[], row: string): string {
  const found = peers.flatMap((contestant) => {
    const ours = query(oursBeside(contestant), "node", row);
    const range = ratioRange(runs, query(contestant, "node", row), ours);
    return range === undefined ? [] : [{ contestant, range }];
  }).sort((one, other) => one.range.low - other.range.low);
  const [fastest] = found;
  return fastest === undefined
    ? nothing
    : `${fastest.contestant} ${writeRatioRange(fastest.range)}`;
}

function tableOf(
  runs: readonly ResultFile[],
  rows: readonly (readonly [string, OthersRow])[],
): string {
  return markdownTable(
    ["row", "what they say", ...runtimeNames, "fastest other in Node"],
    rows.map(([name, { title, claim }]) => [
      title,
      claim,
      ...runtimeNames.map((runtime) => nativeCell(runs, runtime, name)),
      peerCell(runs, name),
    ]),
  );
}

/** Rows that others publish, measured here: a table for each who does. */
export function othersTable(
  runs: readonly ResultFile[] | undefined = readRunsOf(workload),
): string {
  if (runs === undefined) return notMeasured(workload);
  const all = Object.entries(othersRows);
  const parts = Object.entries(judges).map(([judge, { name, source }]) => {
    const rows = all.filter(([, row]) => row.judge === judge);
    return `## ${name}\n\n<${source}>\n\n${tableOf(runs, rows)}`;
  });
  return [...parts, runsProvenance(runs)].join("\n\n");
}
