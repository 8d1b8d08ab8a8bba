import { test } from "node:test";
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { bootstrapRatio } from "../../../bench/results/bootstrap.ts";
import { seededRandom } from "../../../scenarios/concurrency/seeded_random.ts";

test("samples without spread give an interval without width, at the ratio", () => {
  assertEquals(bootstrapRatio([6, 6, 6], [4, 4, 4]), { low: 1.5, high: 1.5 });
});

test("the interval of one spread side is that of its median, known by order statistics", () => {
  // The median of 9 draws from 1..9 is 1 in 0.1 % of cases and 2 or less in 3.0 %, so that its 2.5 %
  // point is 2; by symmetry the 97.5 % point is 8.
  const interval = bootstrapRatio([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 1, 1], { resamples: 20_000 });
  assertEquals(interval, { low: 2, high: 8 });
});

test("the interval of the inverse ratio is the inverse interval", () => {
  const [one, other] = [[10, 11, 12, 13, 15], [20, 21, 25, 26, 30]];
  const forth = bootstrapRatio(one, other, { resamples: 20_000 });
  const back = bootstrapRatio(other, one, { resamples: 20_000 });
  assertAlmostEquals(forth.low, 1 / back.high, 0.02);
  assertAlmostEquals(forth.high, 1 / back.low, 0.02);
});

test("a wider level contains a narrower one, and order and seed repeat", () => {
  const [one, other] = [[5, 3, 4, 8, 6, 7], [2, 4, 3, 5, 6]];
  const narrow = bootstrapRatio(one, other, { level: 0.5 });
  const wide = bootstrapRatio(one, other);
  assert(wide.low < narrow.low && narrow.high < wide.high);
  assertEquals(bootstrapRatio([...one].sort(), [...other].sort()), wide);
  assertEquals(bootstrapRatio(one, other, { seed: 1 }), wide);
  assertEquals([one[0], other[0]], [5, 2], "the samples stay in their order");
});

test("about 95 in 100 intervals contain the true ratio", () => {
  const random = seededRandom(2);
  // Skewed as timings are: a floor and a long tail.
  const draw = (scale: number) =>
    Array.from({ length: 25 }, () => scale * (1 - 0.3 * Math.log(1 - random())));
  let covered = 0;
  for (let round = 0; round < 300; round++) {
    const { low, high } = bootstrapRatio(draw(3), draw(2), { seed: round, resamples: 800 });
    if (low <= 1.5 && 1.5 <= high) covered++;
  }
  assert(covered >= 273 && covered <= 299, `${covered} of 300`);
});

test("ten thousand samples cost no more than ten: the draws are never made", () => {
  let drawn = 0;
  const many = Array.from({ length: 10_000 }, (_, index) => 100 + index / 10_000);
  const counted = new Proxy(many, {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) drawn++;
      return Reflect.get(target, key, receiver);
    },
  });
  const { low, high } = bootstrapRatio(counted, many, { resamples: 1000 });
  assert(low > 0.999 && high < 1.001);
  assert(drawn <= 20_000, `${drawn} samples read`);
});

test("an empty side is refused", () => {
  assertThrows(() => bootstrapRatio([], [1]), RangeError, "at least one sample on each side");
  assertThrows(() => bootstrapRatio([1], []), RangeError, "at least one sample on each side");
});
