import type { Workload } from "../../bench/measure/workload.ts";
import { wrapText } from "../../bench/tables/wrap_text.ts";
import { formatDuration, threeDigits } from "../../bench/tables/format_duration.ts";
import { isMeasured, type MeasuredRow, type Row } from "../../bench/results/result.ts";
import { losses } from "../../bench/results/losses.ts";
import { ratioOfMedians } from "../../bench/results/statistics.ts";

const compared = [["Web Streams", "web"], ["node:stream", "node"]] as const;

function longer(ratio: number): string {
  return ratio >= 1 ? `${threeDigits(ratio)} times as long` : `${threeDigits(ratio)} of the time`;
}

function sentence(rows: readonly MeasuredRow[], opening: string): string[] {
  const find = (name: string) => rows.find(({ contestant }) => contestant === name);
  const ours = find("pipeline");
  if (ours === undefined) return [];
  const others = compared.flatMap(([title, name]) => {
    const row = find(name);
    return row === undefined
      ? []
      : [`${title} ${formatDuration(row.median)} (${longer(ratioOfMedians(row, ours))})`];
  });
  if (others.length === 0) return [];
  return [
    `${ours.runtime}, ${opening}: pipeline took ${formatDuration(ours.median)}, ${
      others.join(", ")
    }.`,
  ];
}

/** What the tour ends in: sentences made from its rows, and where others are faster with the reason. */
export function tourSentences(rows: readonly Row[], workloads: readonly Workload[]): string {
  const measured = rows.filter(isMeasured);
  const most = Math.max(...measured.map(({ params }) => Number(params.passes ?? 0)));
  const runtimes = [...new Set(measured.map(({ runtime }) => runtime))].sort();
  const of = (runtime: string, workload: string) =>
    measured.filter((row) => row.runtime === runtime && row.workload === workload);
  const said = runtimes.flatMap((runtime) => [
    ...sentence(of(runtime, "real_work"), "lines of JSON from a file to a file"),
    ...sentence(
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
