/** A standard normal variate (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A gamma variate of a shape of at least 1 (Marsaglia and Tsang, 2000). */
function gamma(shape: number, random: () => number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < x * x / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

/**
 * The median of as many draws with replacement from sorted samples, without making the draws: which
 * sample stands in the middle follows from the middle one of as many uniform variates, whose
 * distribution is a beta. That costs the same for ten thousand samples as for ten.
 */
export function resampledMedian(sorted: readonly number[], random: () => number): number {
  const count = sorted.length;
  const rank = Math.floor((count + 1) / 2);
  const below = gamma(rank, random);
  const position = below / (below + gamma(count - rank + 1, random));
  const at = (fraction: number) => sorted[Math.min(count - 1, Math.floor(fraction * count))]!;
  if (count % 2 === 1) return at(position);
  // The upper middle is the least of the draws that lie above the lower one.
  const gap = 1 - (1 - random()) ** (1 / (count - rank));
  return (at(position) + at(position + (1 - position) * gap)) / 2;
}
