import {
  describeParams,
  isMeasured,
  noopName,
  type ResultFile,
  type Row,
} from "../../bench/results/result.ts";
import { formatDuration, rowTables } from "../../bench/tables/row_table.ts";
import { wrapProse } from "../../scenarios/command_line/parse_command_line.ts";
import { markdownTable, notMeasured } from "./markdown_table.ts";

const flags: Record<string, string> = { quick: " --quick", full: " --full" };

/** Where numbers come from: the command, the machine, the date, the commit. */
function provenance(results: ResultFile, workload: string): string {
  const { machine, startedAt, seed, profile, commit, dirty, complete } = results;
  const command = profile === "sweeps"
    ? `deno task bench --sweeps --seed ${seed}`
    : `deno task bench --workload ${workload}${flags[profile] ?? ""} --seed ${seed}`;
  const memory = `${machine.memoryGiB} GiB`;
  const state = commit === null
    ? ""
    : ` at commit ${commit.slice(0, 7)}${dirty ? " with changes" : ""}`;
  return wrapProse(
    `Medians of one iteration; \`${command}\` on ${machine.cpu}, ${machine.cores} cores, ` +
      `${memory}, ${machine.os}, ${startedAt.slice(0, 10)}${state}` +
      `${complete ? "" : " (interrupted)"}.`,
  );
}

function cell(row: Row | undefined, hasQuartiles: boolean): string {
  if (row === undefined) return "–";
  if (!isMeasured(row)) return "failed";
  const { median, p25, p75 } = row;
  const quartiles = hasQuartiles ? `, ${formatDuration(p25)} to ${formatDuration(p75)}` : "";
  return `${formatDuration(median)}${quartiles}`;
}

/** Contestants by speed: the sum of their logarithms, so that no one column decides. */
function bySpeed(rows: readonly Row[]): string[] {
  const scores = new Map<string, { sum: number; count: number }>();
  for (const row of rows) {
    if (!isMeasured(row)) continue;
    const { sum, count } = scores.get(row.contestant) ?? { sum: 0, count: 0 };
    scores.set(row.contestant, { sum: sum + Math.log(row.median), count: count + 1 });
  }
  const score = (name: string) => scores.get(name)!.sum / scores.get(name)!.count;
  return [...scores.keys()].sort((one, other) => score(one) - score(other));
}

/** Medians of one workload, and quartiles if asked for: per runtime a table, contestants down, parameters across. */
export function workloadTables(
  results: ResultFile,
  workload: string,
  hasQuartiles = false,
): string {
  const rows = results.rows.filter((row) => row.workload === workload);
  const order = bySpeed(rows);
  const byParams = rowTables(rows, () => order);
  if (byParams.length === 0) return notMeasured(workload);
  const runtimes = new Map(byParams.flatMap((one) => one.runtimes.map((r) => [r.name, r.version])));
  const contestants = [
    ...new Set([noopName, ...order, ...rows.map(({ contestant }) => contestant)]),
  ].filter((name) => rows.some(({ contestant }) => contestant === name));
  const tables = [...runtimes].map(([runtime, version]) =>
    markdownTable(
      [
        `${runtime} ${version}`,
        ...byParams.map(({ params }) => describeParams(params) || "median"),
      ],
      contestants
        .filter((name) => rows.some((row) => row.contestant === name && row.runtime === runtime))
        .map((
          name,
        ) => [name, ...byParams.map((one) => cell(one.row(name, runtime), hasQuartiles))]),
    )
  );
  return [...tables, provenance(results, workload)].join("\n\n");
}
