import type { Workload } from "../../../bench/measure/workload.ts";
import { notMeasured } from "../not_measured.ts";
import { readRunsOf } from "./read_runs_of.ts";
import { runsProvenance } from "./runs_provenance.ts";
import { targetsTable } from "./targets_table.ts";

/** What most programs do, beside what it is measured against: the bars of the workloads in `race.json`. */
export function raceTable(known: readonly Workload[]): string {
  const runs = readRunsOf("race");
  if (runs === undefined) return notMeasured("async_stages");
  const names = new Set(runs.flatMap(({ rows }) => rows.map(({ workload }) => workload)));
  const own = known.filter(({ name }) => names.has(name));
  return `${targetsTable(runs, own)}\n\n${runsProvenance(runs)}`;
}
