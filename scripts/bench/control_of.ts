import type { Workload } from "../../bench/measure/workload.ts";
import type { Control } from "../../bench/results/compare.ts";

/** Which contestant is a workload's control, or why it has none; of an unknown workload `hand`. */
export function controlOf(workloads: readonly Workload[]): (workload: string) => Control {
  return (name) => {
    const { control = "hand", whyNoControl } = workloads.find((one) => one.name === name) ?? {};
    return whyNoControl === undefined ? { contestant: control } : { whyNone: whyNoControl };
  };
}
