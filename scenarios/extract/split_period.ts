import type { Period } from "./period.ts";

/** Cuts a period into up to `count` parts of equal length that follow each other; none is empty. */
export function splitPeriod({ fromMs, toMs }: Period, count: number): Period[] {
  const edges = new Set<number>();
  for (let index = 0; index <= count; index++) {
    edges.add(fromMs + Math.floor((toMs - fromMs) * index / count));
  }
  const sorted = [...edges];
  return sorted.slice(1).map((toMs, index) => ({ fromMs: sorted[index]!, toMs }));
}
