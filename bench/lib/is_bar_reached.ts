import type { Bar } from "./workload.ts";

/** Whether a ratio is what its bar asks for. */
export function isBarReached({ atMost = Infinity, atLeast = 0 }: Bar, ratio: number): boolean {
  return ratio <= atMost && ratio >= atLeast;
}
