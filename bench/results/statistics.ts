/** The middle of a set of samples and the quarter on each side of it. */
export interface Quartiles {
  readonly p25: number;
  readonly median: number;
  readonly p75: number;
}

/**
 * The value below which the fraction `p` of the samples lies, interpolated linearly between the two
 * nearest ranks: type 7 of Hyndman and Fan, which is the default of R and NumPy.
 *
 * @throws {RangeError} If there are no samples, or `p` is outside [0, 1].
 */
export function quantile(samples: readonly number[], p: number): number {
  if (samples.length === 0) {
    throw new RangeError("Cannot compute quantile: need at least one sample");
  }
  if (!(p >= 0 && p <= 1)) {
    throw new RangeError(`Cannot compute quantile: p must be from 0 to 1, got ${p}`);
  }
  const sorted = Float64Array.from(samples).sort();
  const rank = p * (sorted.length - 1);
  const below = Math.floor(rank);
  const lower = sorted[below]!;
  const upper = sorted[Math.ceil(rank)]!;
  return lower + (rank - below) * (upper - lower);
}

/** The value in the middle of some samples, by {@linkcode quantile}. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The quartiles of some samples, each by {@linkcode quantile}. */
export function quartiles(samples: readonly number[]): Quartiles {
  return {
    p25: quantile(samples, 0.25),
    median: median(samples),
    p75: quantile(samples, 0.75),
  };
}

/** How many times longer one takes than the other: the ratio of medians, never a mean of ratios. */
export function ratioOfMedians(
  one: Pick<Quartiles, "median">,
  other: Pick<Quartiles, "median">,
): number {
  return one.median / other.median;
}

/** Whether the middle halves of two sets of samples touch: then their order may be chance. */
export function quartilesOverlap(one: Quartiles, other: Quartiles): boolean {
  return one.p25 <= other.p75 && other.p25 <= one.p75;
}
