import type { JoinJob } from "./job.ts";

/** Opens every source. */
export function openAll({ count, open }: JoinJob): AsyncIterable<number>[] {
  return Array.from({ length: count }, () => open());
}

/** The sum of a tuple. */
export function sumOf(tuple: readonly number[]): number {
  let sum = 0;
  for (const value of tuple) sum += value;
  return sum;
}
