import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { resampledMedian } from "../../../bench/results/resampled_median.ts";
import { seededRandom } from "../../../bench/results/seeded_random.ts";
import { quantile } from "../../../bench/results/statistics.ts";

const rounds = 40_000;

function frequencies(draw: () => number): Map<number, number> {
  const counts = new Map<number, number>();
  for (let round = 0; round < rounds; round++) {
    const value = draw();
    counts.set(value, (counts.get(value) ?? 0) + 1 / rounds);
  }
  return counts;
}

/** The bootstrap as the textbook has it: as many draws with replacement, and their median. */
function plainly(sorted: readonly number[], random: () => number): number {
  const drawn = sorted.map(() => sorted[Math.floor(random() * sorted.length)]!);
  return quantile(drawn, 0.5);
}

function choose(n: number, k: number): number {
  return k === 0 ? 1 : choose(n, k - 1) * (n - k + 1) / k;
}

test("five samples: each is the median as often as arithmetic says", () => {
  const random = seededRandom(11);
  const seen = frequencies(() => resampledMedian([0, 1, 2, 3, 4], random));
  // The median is at most j if at least 3 of the 5 draws are.
  const atMost = (j: number) =>
    [3, 4, 5].reduce(
      (sum, k) => sum + choose(5, k) * ((j + 1) / 5) ** k * (1 - (j + 1) / 5) ** (5 - k),
      0,
    );
  for (let value = 0; value < 5; value++) {
    const expected = atMost(value) - (value === 0 ? 0 : atMost(value - 1));
    const found = seen.get(value) ?? 0;
    assert(Math.abs(found - expected) < 0.01, `${value}: ${found}, expected ${expected}`);
  }
});

test("it is distributed as the median of real draws, for even and odd counts", () => {
  for (const samples of [[1], [1, 2], [1, 2, 4], [1, 2, 4, 8], [1, 2, 4, 8, 16, 32, 64, 128]]) {
    const [one, other] = [seededRandom(5), seededRandom(6)];
    const fast = frequencies(() => resampledMedian(samples, one));
    const plain = frequencies(() => plainly(samples, other));
    for (const value of new Set([...fast.keys(), ...plain.keys()])) {
      const [found, expected] = [fast.get(value) ?? 0, plain.get(value) ?? 0];
      assert(
        Math.abs(found - expected) < 0.012,
        `${samples.length} samples, ${value}: ${found}, plainly ${expected}`,
      );
    }
  }
});

test("the same seed gives the same medians", () => {
  const samples = [1, 2, 3, 4, 5, 6];
  const draw = () => {
    const random = seededRandom(3);
    return Array.from({ length: 20 }, () => resampledMedian(samples, random));
  };
  assertEquals(draw(), draw());
});
