import type { BenchCase } from "./bench_case.ts";
import { isMeasured, type Row } from "../results/result.ts";
import { unrest } from "../results/unrest.ts";

/** Samples that disagree by more tell of a machine that had other things to do. */
const tooMuch = 0.15;

/** A case and what was measured of it. */
export interface Look {
  readonly benchCase: BenchCase;
  readonly row: Row;
}

/** The looks that a second one may better, worst first. */
export function unsettledLooks(looks: readonly Look[]): Look[] {
  return looks.filter(({ row }) => unrest(row) > tooMuch)
    .sort((one, other) => unrest(other.row) - unrest(one.row));
}

/** Which of two looks at a case counts: the calmer, never the faster as such; a failure in any case. */
export function calmerRow(first: Row, second: Row): Row {
  if (!isMeasured(second)) return second;
  const calmer = isMeasured(first) && unrest(first) <= unrest(second) ? first : second;
  return { ...calmer, looks: 2 };
}
