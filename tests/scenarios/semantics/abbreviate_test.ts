import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { abbreviate } from "../../../scenarios/semantics/probes.ts";

test("equal values are counted", () => {
  assertEquals(abbreviate(["yes", "yes", "no"]), "2×yes no");
  assertEquals(abbreviate([0, 0, 0, 5, 0, 0]), "3×0 5 2×0");
});

test("four numbers or more of equal distance are named by their ends", () => {
  assertEquals(abbreviate([4, 3, 2, 1, 0, -1]), "4…-1");
  assertEquals(abbreviate([60, 56, 52, 48]), "60…48");
  assertEquals(abbreviate([0, -1, -2]), "0 -1 -2");
});

test("whatever follows no rule stands as it is", () => {
  assertEquals(abbreviate([0, 2, 0, 2, 0]), "0 2 0 2 0");
  assertEquals(abbreviate([1, 2, 3, 4, 4]), "1…4 4");
  assertEquals(abbreviate([]), "");
});
