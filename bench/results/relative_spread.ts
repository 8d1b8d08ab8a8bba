import { isMeasured, type Row } from "./result.ts";

/** Shorter iterations differ by themselves, on the calmest of machines. */
const longEnoughMs = 1;

/**
 * How far a row's samples disagree: what lies between its quartiles, as a fraction of its median. 0 of what
 * was not measured, or is too short to tell by.
 */
export function relativeSpread(row: Row): number {
  if (!isMeasured(row) || row.median < longEnoughMs) return 0;
  return (row.p75 - row.p25) / row.median;
}
