import type { Workload } from "../../bench/measure/workload.ts";
import { wrapText } from "../../bench/tables/wrap_text.ts";
import { formatDuration, threeDigits } from "../../bench/tables/format_duration.ts";
import { isMeasured, type MeasuredRow, type Row } from "../../bench/results/result.ts";
import { losses } from "../../bench/results/losses.ts";
import { isNearTick } from "../../bench/results/is_near_tick.ts";
import { quartilesOverlap, ratioOfMedians } from "../../bench/results/statistics.ts";
import { sampleCount } from "../../bench/results/sample_count.ts";

const compared = [["Web Streams", "web"], ["node:stream", "node"]] as const;

/** A control whose middle half is wider than this part of its median was disturbed. */
const widest = 0.5;

function longer(ratio: number): string {
  return ratio >= 1 ? `${threeDigits(ratio)} times as long` : `${threeDigits(ratio)} of the time`;
}

function isSettled(row: MeasuredRow, ours: MeasuredRow): boolean {
  return sampleCount(row) >= 3 && !row.firstRunCounted && !quartilesOverlap(row, ours);
}

function sentences(rows: readonly MeasuredRow[], opening: string): string[] {
  const find = (name: string) => rows.find(({ contestant }) => contestant === name);
  const [ours, control] = [find("pipeline"), find("hand")];
  if (ours === undefined) return [];
  const title = `${ours.runtime}, ${opening}`;
  if (control !== undefined && (control.p75 - control.p25) / control.median > widest) {
    return [
      `${title}: left out, since the machine was busy: the loop by hand took ` +
      `${formatDuration(control.p25)} to ${formatDuration(control.p75)}.`,
    ];
  }
  const others = compared.flatMap(([name, contestant]) => {
    const row = find(contestant);
    return row === undefined ? [] : [{ name, row }];
  });
  const settled = others.filter(({ row }) => isSettled(row, ours)).map(({ name, row }) =>
    `${name} ${formatDuration(row.median)} (${longer(ratioOfMedians(row, ours))})`
  );
  const open = others.filter(({ row }) => !isSettled(row, ours)).map(({ name }) => name);
  return [
    ...settled.length === 0
      ? []
      : [`${title}: pipeline took ${formatDuration(ours.median)}, ${settled.join(", ")}.`],
    ...open.length === 0 ? [] : [`${title}: left out, not settled: ${open.join(", ")}.`],
  ];
}

/** What the columns and marks of its tables mean; of the marks those that it has. */
export function tourLegend(rows: readonly Row[]): string {
  const measured = rows.filter(isMeasured);
  const has = (test: (row: MeasuredRow) => boolean) => measured.some(test);
  return [
    "median: half of the runs took less. quartiles: the middle half of the runs lies between them. " +
    "n: how many runs. / pipeline: how many times as long as pipeline.",
    "not settled: its middle half and pipeline's overlap, so that either may be the faster.",
    ...has(({ firstRunCounted }) => firstRunCounted)
      ? ["cold: the first run, which compiles too, is one of them."]
      : [],
    ...has((row) => sampleCount(row) < 3) ? ["too few samples: fewer than three runs."] : [],
    ...has(isNearTick) ? ["near the clock's tick: too short for this clock."] : [],
  ].flatMap((line) => wrapText(line, 80)).join("\n");
}

/** What the tour ends in: sentences made from its rows, and where others are faster with the reason. */
export function tourSentences(rows: readonly Row[], workloads: readonly Workload[]): string {
  const measured = rows.filter(isMeasured);
  const most = Math.max(...measured.map(({ params }) => Number(params.passes ?? 0)));
  const runtimes = [...new Set(measured.map(({ runtime }) => runtime))].sort();
  const of = (runtime: string, workload: string) =>
    measured.filter((row) => row.runtime === runtime && row.workload === workload);
  const said = runtimes.flatMap((runtime) => [
    ...sentences(of(runtime, "real_work"), "lines of JSON from a file to a file"),
    ...sentences(
      of(runtime, "copy_lines").filter(({ params }) => Number(params.passes) === most),
      `copy_lines with ${most} stages`,
    ),
  ]);
  const lost = losses(rows, workloads);
  const faster = lost.length === 0 ? ["Where others are faster: nowhere in these rows."] : [
    "Where others are faster:",
    ...lost.map(({ title, peers, ratio, reason }) =>
      `- ${title}: ${peers.join(", ")}, by up to ${threeDigits(ratio)} times. ${reason}`
    ),
  ];
  return [...said, ...faster].flatMap((line) => wrapText(line, 80)).join("\n");
}
