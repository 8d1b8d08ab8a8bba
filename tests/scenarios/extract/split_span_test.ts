import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { splitSpan } from "../../../scenarios/extract/split_span.ts";

test("parts follow each other from the first instant to the last", () => {
  assertEquals(splitSpan({ from: 10, to: 20 }, 1), [{ from: 10, to: 20 }]);
  assertEquals(splitSpan({ from: -1, to: 9 }, 3), [
    { from: -1, to: 2 },
    { from: 2, to: 5 },
    { from: 5, to: 9 },
  ]);
});

test("there are no more parts than milliseconds, and none is empty", () => {
  assertEquals(splitSpan({ from: 5, to: 7 }, 8), [
    { from: 5, to: 6 },
    { from: 6, to: 7 },
  ]);
});
