import { resampledMedian } from "./resampled_median.ts";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import { quantile } from "./statistics.ts";

/** How an interval is computed. */
export interface BootstrapOptions {
  /** Of the resampling; the same seed gives the same interval. Default: 1. */
  readonly seed?: number;
  /** How often both sides are drawn again. Default: 4000. */
  readonly resamples?: number;
  /** Which share of the resampled ratios lies within. Default: 0.95. */
  readonly level?: number;
}

/** Where a ratio lies, going by the samples at hand. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The percentile bootstrap interval of the ratio of medians, `one` over `other`: both sides are
 * drawn again with replacement, each by itself, and the interval is the middle share of the ratios.
 *
 * @throws {RangeError} If a side has no samples.
 */
export function bootstrapRatio(
  one: readonly number[],
  other: readonly number[],
  { seed = 1, resamples = 4000, level = 0.95 }: BootstrapOptions = {},
): Interval {
  if (one.length === 0 || other.length === 0) {
    throw new RangeError("Cannot compute interval: need at least one sample on each side");
  }
  const random = seededRandom(seed);
  const numerator = [...one].sort((left, right) => left - right);
  const denominator = [...other].sort((left, right) => left - right);
  const ratios = Array.from(
    { length: resamples },
    () => resampledMedian(numerator, random) / resampledMedian(denominator, random),
  );
  return {
    low: quantile(ratios, (1 - level) / 2),
    high: quantile(ratios, (1 + level) / 2),
  };
}
