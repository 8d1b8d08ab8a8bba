import type { Registry } from "../../bench/measure/registry.ts";
import type { Workload } from "../../bench/measure/workload.ts";
import type { WorkloadNotes } from "./charts/result_charts.ts";

/** What the bench says of the workloads that results name; those it no longer knows say nothing. */
export async function workloadNotes(
  registry: Registry,
  names: readonly string[],
): Promise<WorkloadNotes> {
  const known = new Map<string, Workload>();
  for (const name of new Set(names)) {
    if (Object.hasOwn(registry, name)) known.set(name, await registry[name]!());
  }
  return {
    about: (workload) => known.get(workload)?.about ?? "",
    order: (workload) => known.get(workload)?.contestants.map(({ name }) => name) ?? [],
  };
}
