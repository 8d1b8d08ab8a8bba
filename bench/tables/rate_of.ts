import type { MeasuredRow } from "../results/result.ts";
import type { Rate } from "./rate.ts";

/** What the median of a row amounts to: nanoseconds for each chunk, or MiB in each second. */
export function rateOf({ median, chunks, bytes }: MeasuredRow, rate: Rate): number {
  return rate === "MiB/s" ? bytes / 2 ** 20 / (median / 1000) : median * 1e6 / chunks;
}
