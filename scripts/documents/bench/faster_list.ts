import { losses } from "../../../bench/results/losses.ts";
import { mergeRuns } from "../../../bench/results/merge_runs.ts";
import type { ResultFile } from "../../../bench/results/result.ts";
import type { Workload } from "../../../bench/measure/workload.ts";
import { threeDigits } from "../../../bench/tables/format_duration.ts";
import { bullet } from "../bullet.ts";

/** What is lost for one reason, in each runtime where it is. */
interface LossesOfOneKind {
  readonly workload: string;
  /** Such as `deno in 1 of 4 cases`. */
  readonly places: readonly string[];
  readonly peers: readonly string[];
  readonly ratio: number;
  readonly reason: string;
}

/** Where others are faster than ours in the runs together, and in older results where there are no runs. */
function listLosses(
  results: ResultFile,
  runs: readonly ResultFile[],
  workloads: readonly Workload[],
): readonly LossesOfOneKind[] {
  const { rows } = mergeRuns(runs);
  const covered = new Set(rows.map(({ workload }) => workload));
  const names = workloads.map(({ name }) => name);
  const older = results.rows.filter(({ workload }) =>
    !covered.has(workload) && names.includes(workload)
  );
  const lost = losses([...rows, ...older], workloads).map((loss) => {
    const [workload, runtime] = loss.title.split(", ") as [string, string];
    return { ...loss, workload, runtime };
  });
  const kinds = Map.groupBy(lost, ({ workload, reason }) => `${workload}\n${reason}`);
  return [...kinds.values()].map((some) => {
    const { workload, reason, ratio } = some.reduce((most, one) =>
      one.ratio > most.ratio ? one : most
    );
    return {
      ...{ workload, reason, ratio },
      places: some.map(({ runtime, lost, of }) => `${runtime} in ${lost} of ${of} cases`),
      peers: [...new Set(some.flatMap(({ peers }) => peers))],
    };
  });
}

/** Each of them as a point, with the reason. */
export function fasterList(
  results: ResultFile,
  runs: readonly ResultFile[],
  workloads: readonly Workload[],
): string {
  const kinds = listLosses(results, runs, workloads);
  if (kinds.length === 0) return "Nowhere in these rows.";
  return kinds.map(({ workload, places, peers, ratio, reason }) =>
    bullet(
      `**${workload}**, ${places.join(", ")}: ${peers.join(", ")}, by up to ` +
        `${threeDigits(ratio)} times. ${reason}`,
    )
  ).join("\n");
}
