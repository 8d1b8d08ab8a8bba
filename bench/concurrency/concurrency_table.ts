import { articleRuns } from "../../scenarios/concurrency/article_runs.ts";
import { alignColumns } from "../../scenarios/command_line/align_columns.ts";
import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { noopName } from "../results/noop_name.ts";
import { isMeasured, type Row } from "../results/result.ts";

const head = "run,messages,article,streams,here,bound,ratio,kept,mean,max".split(",");

const legend = [
  "messages: how many by how many at once. article: its seconds. here: the makespan",
  "on the article's scale: measured, times the speedup. bound: the greedy schedule",
  "of the same delays, likewise. ratio: here to bound. kept: the same against the",
  "greedy schedule of the delays as the timers kept them, which leaves what the",
  "streams cost. mean, max: writes in flight.",
];

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function cells(row: Row): string[] {
  const run = articleRuns.find(({ name }) => name === row.params.run);
  const left = [
    String(row.params.run),
    run ? `${run.messages} by ${run.concurrency}` : "-",
    run ? `${run.articleSeconds} s` : "-",
    `${row.contestant}/${row.runtime}`,
  ];
  if (!isMeasured(row) || row.extra === undefined) return [...left, "failed"];
  const { makespan, bound, ratio, ratioToKept, meanInFlight, maxInFlight, speedup } = row.extra;
  return [
    ...left,
    seconds(Number(makespan) * Number(speedup)),
    seconds(Number(bound) * Number(speedup)),
    Number(ratio).toFixed(3),
    Number(ratioToKept).toFixed(3),
    Number(meanInFlight).toFixed(1),
    String(maxInFlight),
  ];
}

function position(row: Row): number {
  const run = articleRuns.findIndex(({ name }) => name === row.params.run);
  const api = ["web", "node"].indexOf(row.contestant);
  return (run * 2 + api) * 3 + runtimeNames.indexOf(row.runtime);
}

/** One table of all runs: the schedule is what counts here, and the times of several runs are no rivals. */
export function concurrencyTable(rows: readonly Row[]): string {
  const sorted = rows.filter(({ contestant }) => contestant !== noopName)
    .sort((one, other) => position(one) - position(other));
  if (sorted.length === 0) return "";
  let before = "";
  const body = sorted.map((row) => {
    const all = cells(row);
    // A run is named once: its lines are read together.
    const shown = all[0] === before ? ["", "", "", ...all.slice(3)] : all;
    before = all[0]!;
    return shown;
  });
  const versions = new Map<RuntimeName, string>();
  for (const { runtime, runtimeVersion } of sorted) versions.set(runtime, runtimeVersion);
  const named = runtimeNames.filter((name) => versions.has(name))
    .map((name) => `${name} ${versions.get(name)}`);
  const failures = sorted.flatMap((row) =>
    isMeasured(row)
      ? []
      : [`failed: ${row.params.run} ${row.contestant}/${row.runtime}: ${row.error}`]
  );
  return [
    `concurrency  high-water marks 10: ${named.join(", ")}`,
    ...alignColumns([head, ...body]),
    ...legend,
    ...failures,
  ].join("\n");
}
