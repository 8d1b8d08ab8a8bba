/**
 * When the last of some jobs ends if each begins, in order, as soon as one of `concurrency` places is free: the
 * schedule of a writer that loses no time.
 */
export function greedyMakespan(durations: readonly number[], concurrency: number): number {
  const freeAt = new Array<number>(concurrency).fill(0);
  for (const duration of durations) {
    let first = 0;
    for (let place = 1; place < concurrency; place++) {
      if (freeAt[place]! < freeAt[first]!) first = place;
    }
    freeAt[first]! += duration;
  }
  return Math.max(...freeAt);
}
