import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { greedyMakespan } from "../../../scenarios/concurrency/greedy_makespan.ts";

test("one at a time takes the sum", () => {
  assertEquals(greedyMakespan([3, 1, 4, 1, 5], 1), 14);
});

test("as many places as jobs take the longest, and so do more", () => {
  assertEquals(greedyMakespan([3, 1, 4, 1, 5], 5), 5);
  assertEquals(greedyMakespan([3, 1, 4, 1, 5], 9), 5);
});

test("jobs keep their order: the next begins where a place is free first", () => {
  // 4 | 1 2 2: the third begins at 1, the fourth at 3, and the long one comes last.
  assertEquals(greedyMakespan([4, 1, 2, 2, 6], 2), 10);
  assertEquals(greedyMakespan([6, 4, 1, 2, 2], 2), 8);
});

test("no job takes no time", () => {
  assertEquals(greedyMakespan([], 3), 0);
});
