/**
 * Makes a repeatable source of numbers in [0, 1): the same seed gives the same numbers in every
 * runtime. The generator is Mulberry32, which suits shuffling and test data, not secrets.
 *
 * @throws {RangeError} If the seed is not an integer from 0 to 2^32 - 1.
 */
export function seededRandom(seed: number): () => number {
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
    throw new RangeError(
      `Cannot seed random numbers: seed must be an integer from 0 to 4294967295, got ${seed}`,
    );
  }
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
