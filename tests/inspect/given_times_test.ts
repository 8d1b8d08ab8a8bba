import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { GivenTimes } from "../../src/inspect/given_times.ts";

test("GivenTimes gives the time of each chunk once, and forgets those before it", () => {
  const times = new GivenTimes();
  for (let ordinal = 1; ordinal <= 5; ordinal++) times.add(ordinal, ordinal * 10);
  assertEquals([times.take(1), times.take(1), times.take(3)], [10, undefined, 30]);
  assertEquals([times.take(2), times.take(6), times.take(4), times.take(5)], [
    undefined,
    undefined,
    40,
    50,
  ]);
  times.add(6, 60);
  assertEquals([times.take(7), times.take(6)], [undefined, 60]);
});

test("GivenTimes takes a number that is given back again, and starts anew after a gap", () => {
  const times = new GivenTimes();
  times.add(1, 10);
  times.add(2, 20);
  times.add(2, 21);
  assertEquals([times.take(1), times.take(2)], [10, 21]);
  times.add(3, 30);
  times.add(4, 40);
  assertEquals(times.take(3), 30);
  times.add(4, 41);
  times.add(5, 50);
  assertEquals([times.take(4), times.take(5)], [41, 50]);
  times.add(9, 90);
  times.add(10, 100);
  assertEquals([times.take(8), times.take(9), times.take(10)], [undefined, 90, 100]);
  times.add(3, 31);
  assertEquals([times.take(11), times.take(3)], [undefined, 31]);
});

test("GivenTimes keeps count over many chunks, some of which wait", () => {
  for (const waiting of [0, 1, 63, 64, 65, 200]) {
    const times = new GivenTimes();
    for (let ordinal = 1; ordinal <= 1_000; ordinal++) {
      times.add(ordinal, ordinal);
      if (ordinal > waiting) assertEquals(times.take(ordinal - waiting), ordinal - waiting);
    }
  }
});

test("GivenTimes remembers 65,536 chunks and no more", () => {
  const times = new GivenTimes();
  for (let ordinal = 1; ordinal <= 65_538; ordinal++) times.add(ordinal, ordinal);
  assertEquals([times.take(2), times.take(3), times.take(65_538)], [undefined, 3, 65_538]);
});

test("GivenTimes takes a number again that was taken already", () => {
  const times = new GivenTimes();
  times.add(1, 10);
  assertEquals(times.take(1), 10);
  times.add(1, 11);
  times.add(2, 20);
  assertEquals([times.take(1), times.take(2), times.take(2)], [11, 20, undefined]);
});

test("GivenTimes remembers as many when some were taken before", () => {
  for (const taken of [1, 60, 70]) {
    const times = new GivenTimes();
    for (let ordinal = 1; ordinal <= taken; ordinal++) times.add(ordinal, ordinal);
    times.take(taken);
    for (let ordinal = taken + 1; ordinal <= taken + 65_536; ordinal++) times.add(ordinal, ordinal);
    assertEquals(times.take(taken + 1), taken + 1);
  }
});

test("GivenTimes starts anew after a gap, though chunks before it still wait", () => {
  const times = new GivenTimes();
  for (const ordinal of [1, 2, 3]) times.add(ordinal, ordinal);
  times.add(7, 70);
  times.add(8, 80);
  assertEquals([times.take(3), times.take(7), times.take(8)], [undefined, 70, 80]);
});
