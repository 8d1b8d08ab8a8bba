import { isMeasured, type ResultFile } from "../../../bench/results/result.ts";
import { sampleCount } from "../../../bench/results/sample_count.ts";
import { wrapProse } from "../../../scenarios/command_line/wrap_prose.ts";

/** Where ranges come from: how many runs, of how many samples, with which seeds, on which machines. */
export function runsProvenance(runs: readonly ResultFile[], workload?: string): string {
  const rows = runs.flatMap((run) => run.rows).filter(isMeasured)
    .filter((row) => workload === undefined || row.workload === workload)
    .filter((row) => Object.keys(row.params).length > 0);
  const fewest = Math.min(...rows.map(sampleCount));
  const machines = new Set(
    runs.map(({ machine: { cpu, cores, memoryGiB, os } }) =>
      `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${os}`
    ),
  );
  const commits = new Set(
    runs.map(({ commit, dirty }) =>
      `${commit?.slice(0, 7) ?? "unknown"}${dirty ? " with changes" : ""}`
    ),
  );
  const cold = rows.filter(({ firstRunCounted }) => firstRunCounted).length;
  return wrapProse(
    `${runs.length} whole ${
      runs.length === 1 ? "run" : "runs"
    } by \`deno task bench --publish\`, ` +
      `seeds ${runs.map(({ seed }) => seed).join(", ")}, on ${[...machines].join("; ")}, ` +
      `${runs[0]!.startedAt.slice(0, 10)}, commit ${
        [...commits].join(", ")
      }. Every row was run warm ` +
      `and has at least ${fewest} samples in each run${
        cold > 0 ? `, but ${cold} that were cold` : ""
      }.`,
  );
}
