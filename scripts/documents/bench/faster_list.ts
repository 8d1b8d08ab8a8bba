import { losses } from "../../../bench/results/losses.ts";
import { mergeRuns } from "../../../bench/results/merge_runs.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import type { Workload } from "../../../bench/measure/workload.ts";
import { threeDigits } from "../../../bench/tables/format_duration.ts";
import { bullet } from "../bullet.ts";

/** Where others are faster than ours in the runs together, and in older results where there are no runs; and why. */
export function fasterList(
  results: ResultFile,
  runs: readonly ResultFile[],
  workloads: readonly Workload[],
): string {
  const { rows } = mergeRuns(runs);
  const covered = new Set(rows.map(({ workload }) => workload));
  const older = results.rows.filter(({ workload }) => !covered.has(workload));
  const lost = losses([...rows, ...older], workloads);
  if (lost.length === 0) return "Nowhere in these rows.";
  return lost.map(({ title, peers, lost, of, ratio, reason }) =>
    bullet(
      `**${title}**, ${lost} of ${of} cases: ${peers.join(", ")}, by up to ` +
        `${threeDigits(ratio)} times. ${reason}`,
    )
  ).join("\n");
}
