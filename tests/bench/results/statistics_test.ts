import { test } from "node:test";
import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import {
  quantile,
  quartiles,
  quartilesOverlap,
  ratioOfMedians,
} from "../../../bench/results/statistics.ts";

test("the quartiles of known samples are those of type 7", () => {
  assertEquals(quartiles([4, 1, 3, 2]), { p25: 1.75, median: 2.5, p75: 3.25 });
  assertEquals(quartiles([3, 1, 5, 2, 4]), { p25: 2, median: 3, p75: 4 });
  // What R's quantile(c(7, 15, 36, 39, 40, 41)) prints.
  assertEquals(quartiles([41, 7, 40, 15, 39, 36]), { p25: 20.25, median: 37.5, p75: 39.75 });
});

test("one sample is all three quartiles", () => {
  assertEquals(quartiles([8]), { p25: 8, median: 8, p75: 8 });
});

test("samples are compared as numbers and left in their order", () => {
  const samples = [100, 9, 20];
  assertEquals(quartiles(samples).median, 20);
  assertEquals(samples, [100, 9, 20]);
});

test("the extreme quantiles are the extremes", () => {
  assertEquals(quantile([2, 9, 4], 0), 2);
  assertEquals(quantile([2, 9, 4], 1), 9);
});

test("no samples and impossible fractions are refused", () => {
  assertThrows(() => quantile([], 0.5), RangeError, "need at least one sample");
  assertThrows(() => quantile([1], 1.5), RangeError, "p must be from 0 to 1, got 1.5");
  assertThrows(() => quantile([1], NaN), RangeError, "got NaN");
});

test("a ratio is of medians, and no outlier moves it", () => {
  const slow = quartiles([20, 20, 20, 20, 9000]);
  const fast = quartiles([10, 10, 10, 10, 0.001]);
  assertAlmostEquals(ratioOfMedians(slow, fast), 2);
});

test("quartiles overlap when the middle halves touch", () => {
  const one = { p25: 1, median: 2, p75: 3 };
  assertEquals(quartilesOverlap(one, { p25: 3, median: 4, p75: 5 }), true);
  assertEquals(quartilesOverlap({ p25: 3, median: 4, p75: 5 }, one), true);
  assertEquals(quartilesOverlap(one, { p25: 3.1, median: 4, p75: 5 }), false);
  assertEquals(quartilesOverlap(one, { p25: 0, median: 2, p75: 9 }), true);
});
