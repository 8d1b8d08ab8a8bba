import type { Bar } from "./bar.ts";

/** Whether a ratio is what its bar asks for. */
export function isBarReached({ atMost = Infinity, atLeast = 0 }: Bar, ratio: number): boolean {
  return ratio <= atMost && ratio >= atLeast;
}
