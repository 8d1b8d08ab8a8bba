import type { MeasuredRow } from "../../../bench/results/result.ts";
import { quartiles } from "../../../bench/results/statistics.ts";

/** A measured row as the tests want it. */
export function makeRow(
  { samples = [10, 10, 10], ...rest }: Partial<MeasuredRow> = {},
): MeasuredRow {
  return {
    workload: "copy",
    contestant: "hand",
    runtime: "node",
    runtimeVersion: "26.0.0",
    params: { passes: 0 },
    unit: "ms",
    samples,
    ...quartiles(samples),
    iterationsPerSample: 1,
    firstRunCounted: false,
    timerTickMs: 1e-4,
    chunks: 1,
    bytes: 1,
    digest: "d1",
    cpuMs: 1,
    peakRssMiB: 50,
    ...rest,
  };
}
