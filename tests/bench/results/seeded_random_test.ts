import { test } from "node:test";
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { seededRandom } from "../../../bench/results/seeded_random.ts";
import { shuffle } from "../../../bench/measure/shuffle.ts";

function draw(seed: number, count: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, random);
}

test("a seed always gives the same numbers, in every runtime", () => {
  assertEquals(draw(1, 3).map((value) => value * 2 ** 32), [2693262067, 11749833, 2265367787]);
});

test("different seeds give different numbers, all in [0, 1) and evenly spread", () => {
  assertNotEquals(draw(1, 5), draw(2, 5));
  const numbers = draw(7, 10_000);
  assert(numbers.every((value) => value >= 0 && value < 1));
  for (let tenth = 0; tenth < 10; tenth++) {
    const count = numbers.filter((value) => Math.floor(value * 10) === tenth).length;
    assert(count > 850 && count < 1150, `${count} of 10000 fall in tenth ${tenth}`);
  }
});

test("a seed that is no unsigned 32-bit integer is refused", () => {
  for (const seed of [-1, 0.5, 2 ** 32, NaN]) {
    assertThrows(() => seededRandom(seed), RangeError, `got ${seed}`);
  }
});

test("a shuffle keeps every item, leaves its argument alone and repeats with its seed", () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  const shuffled = shuffle(items, seededRandom(3));
  assertNotEquals(shuffled, items);
  assertEquals(items[0], 0);
  assertEquals([...shuffled].sort((one, other) => one - other), items);
  assertEquals(shuffle(items, seededRandom(3)), shuffled);
  assertEquals(shuffle([], seededRandom(3)), []);
});
