import type { Span } from "./span.ts";

/** Cuts a span into up to `count` parts of equal length that follow each other; none is empty. */
export function splitSpan({ from, to }: Span, count: number): Span[] {
  const edges = new Set<number>();
  for (let index = 0; index < count; index++) {
    edges.add(from + Math.floor((to - from) * index / count));
  }
  const sorted = [...edges.add(to)];
  return sorted.slice(1).map((to, index) => ({ from: sorted[index]!, to }));
}
