import { alignColumns } from "../../scenarios/command_line/parse_command_line.ts";
import type { ComparedCase, Comparison, Verdict } from "../results/compare.ts";
import { describeParams, isMeasured, type ResultFile, type Row } from "../results/result.ts";
import { formatDuration, threeDigits } from "./row_table.ts";

const verdictNames: Record<Verdict, string> = {
  better: "faster",
  unclear: "unclear",
  worse: "slower",
  regressed: "slower beyond the threshold",
  withheld: "verdict withheld",
};

function time(row: Row): string {
  return isMeasured(row) ? formatDuration(row.median) : "failed";
}

function cells({ old, new: fresh, ratio, interval, verdict, note }: ComparedCase): string[] {
  return [
    [describeParams(fresh.params), `${fresh.contestant}/${fresh.runtime}`].filter(Boolean).join(
      " ",
    ),
    time(old),
    time(fresh),
    ratio === undefined ? "-" : `${threeDigits(ratio)}x`,
    interval === undefined ? "-" : `${threeDigits(interval.low)}..${threeDigits(interval.high)}`,
    `${verdictNames[verdict]}${note === undefined ? "" : ` (${note})`}`,
  ];
}

/** What makes two files hard to compare: another machine, other runtimes, unfinished runs. */
function cautions(old: ResultFile, fresh: ResultFile): string[] {
  const lines: string[] = [];
  const { machine: before } = old;
  const { machine: after } = fresh;
  if (before.cpu !== after.cpu || before.cores !== after.cores || before.os !== after.os) {
    const describe = ({ cpu, cores, os }: typeof before) => `${cpu}, ${cores} cores, ${os}`;
    lines.push(`not the same machine: ${describe(before)}; now ${describe(after)}`);
  }
  if (old.profile !== fresh.profile) {
    lines.push(`not the same profile: ${old.profile}; now ${fresh.profile}`);
  }
  const versions = ({ rows }: ResultFile) =>
    new Map(rows.map(({ runtime, runtimeVersion }) => [runtime, runtimeVersion]));
  for (const [runtime, version] of versions(fresh)) {
    const was = versions(old).get(runtime);
    if (was !== undefined && was !== version) {
      lines.push(`not the same ${runtime}: ${was}; now ${version}`);
    }
  }
  return lines;
}

function count(cases: readonly ComparedCase[], verdict: Verdict): number {
  return cases.filter((one) => one.verdict === verdict).length;
}

function only(names: readonly string[], which: string): string[] {
  return names.length === 0 ? [] : [`${names.length} only in the ${which} file`];
}

/** Shows a comparison: per workload a table, the worst ratio first, then the sum. */
export function renderComparison(
  { cases, controls, unchecked, onlyOld, onlyNew }: Comparison,
  old: ResultFile,
  fresh: ResultFile,
  threshold: number,
): string {
  const workloads = Map.groupBy(cases, (one) => one.new.workload);
  const blocks = [...workloads].map(([workload, group]) => {
    const sorted = group.toSorted((one, other) => (other.ratio ?? 0) - (one.ratio ?? 0));
    const head = [workload, "old", "new", "ratio", "95 %", ""];
    const [first, ...rest] = alignColumns([head, ...sorted.map((one) => cells(one).slice(0, 5))]);
    const lines = rest.map((line, index) => `${line}  ${cells(sorted[index]!)[5]}`);
    return [first, ...lines].join("\n");
  });
  const percent = Number((threshold * 100).toFixed(6));
  const sum = [
    `${count(cases, "better")} faster`,
    `${count(cases, "worse")} slower`,
    `${count(cases, "regressed")} slower beyond the threshold of ${percent} %`,
    `${count(cases, "unclear")} unclear`,
    ...count(cases, "withheld") > 0 ? [`${count(cases, "withheld")} withheld`] : [],
    ...only(onlyOld, "old"),
    ...only(onlyNew, "new"),
  ];
  const moved = controls.filter(({ hasMoved }) => hasMoved).map(({ name, interval }) =>
    `the machine changed: verdict withheld: the control ${name} takes ` +
    `${threeDigits(interval.low)} to ${threeDigits(interval.high)} times as long`
  );
  const open = unchecked.map(({ workload, reason }) =>
    `the machine was not checked for ${workload}: ${reason}`
  );
  const lines = [...cautions(old, fresh), ...open, ...moved, sum.join(", ")];
  return [...blocks, lines.join("\n")].join("\n\n");
}
