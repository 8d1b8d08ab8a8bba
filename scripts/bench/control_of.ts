import type { Workload } from "../../bench/measure/workload.ts";

/** Which contestant is a workload's control: it runs no library, so that its time changes with the machine alone. */
export function controlOf(workloads: readonly Workload[]): (workload: string) => string {
  return (name) => workloads.find((workload) => workload.name === name)?.control ?? "hand";
}
