import type { AsyncStep } from "./job.ts";

/** Each third step answers with a promise. */
const every = 3;

/** Steps that differ, as those of real chains do; `waits` tells which of them answer with a promise. */
export function makeSteps(count: number): AsyncStep[] {
  return Array.from(
    { length: count },
    (_, index) =>
      waits(index)
        ? (chunk: number) => Promise.resolve(chunk + index)
        : (chunk: number) => chunk + index,
  );
}

/** Whether the step at `index` answers with a promise. */
export function waits(index: number): boolean {
  return index % every === every - 1;
}
