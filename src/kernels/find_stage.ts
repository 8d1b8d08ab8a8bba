import { meaningOf } from "./registry.ts";

/** Finds the stage, counted from 1, that stands at `index` where compositions are taken apart, and which part of it that is. */
export function findStage(
  stages: readonly unknown[],
  index: number,
): [stage: number, part: number | undefined, failed: unknown] {
  let left = index;
  for (let at = 0;; at++) {
    const stage = stages[at];
    const parts = meaningOf(Object(stage))?.stages ?? [stage];
    const { length } = parts;
    if (left < length || at >= stages.length) {
      return [at + 1, length > 1 ? left + 1 : undefined, parts[left]];
    }
    left -= length;
  }
}
