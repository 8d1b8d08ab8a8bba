import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { GivenTimes } from "../../src/probe/given_times.ts";

test("times come back by number, in order, each once", () => {
  const times = new GivenTimes();
  for (let ordinal = 1; ordinal <= 1000; ordinal++) times.add(ordinal, ordinal * 10);
  for (let ordinal = 1; ordinal <= 1000; ordinal++) assertEquals(times.take(ordinal), ordinal * 10);
  assertEquals([times.take(1000), times.take(1001)], [undefined, undefined]);
  times.add(1001, 5);
  assertEquals(times.take(1001), 5);
});

test("a number that is given again stands for the last chunk; after a gap the count goes on", () => {
  const times = new GivenTimes();
  times.add(1, 10);
  times.add(1, 20);
  assertEquals(times.take(1), 20);
  times.add(7, 70);
  assertEquals([times.take(6), times.take(7)], [undefined, 70]);
});

test("a number that is skipped takes those before it along", () => {
  const times = new GivenTimes();
  for (let ordinal = 1; ordinal <= 5; ordinal++) times.add(ordinal, ordinal);
  assertEquals([times.take(3), times.take(2), times.take(4)], [3, undefined, 4]);
});

test("what is never taken is forgotten, the oldest first", () => {
  const times = new GivenTimes();
  for (let ordinal = 1; ordinal <= 200_000; ordinal++) times.add(ordinal, ordinal);
  assertEquals([times.take(1), times.take(200_000)], [undefined, 200_000]);
});
