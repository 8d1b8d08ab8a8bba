import type { BenchCase } from "./bench_case.ts";
import { isMeasured, type Row } from "../results/result.ts";
import { relativeSpread } from "../results/relative_spread.ts";

/** Samples that differ by more show a machine that had other things to do. */
const tooMuch = 0.15;

/** A case and what was measured of it. */
export interface MeasuredCase {
  readonly benchCase: BenchCase;
  readonly row: Row;
}

/** The cases that a second measurement may better, worst first. */
export function casesToRemeasure(measured: readonly MeasuredCase[]): MeasuredCase[] {
  return measured.filter(({ row }) => relativeSpread(row) > tooMuch)
    .sort((one, other) => relativeSpread(other.row) - relativeSpread(one.row));
}

/** Which of two measurements of a case counts: the less noisy, never the faster as such; a failure in any case. */
export function calmerRow(first: Row, second: Row): Row {
  if (!isMeasured(second)) return second;
  const calmer = isMeasured(first) && relativeSpread(first) <= relativeSpread(second)
    ? first
    : second;
  return { ...calmer, timesMeasured: 2 };
}
