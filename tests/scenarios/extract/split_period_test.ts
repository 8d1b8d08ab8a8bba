import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { splitPeriod } from "../../../scenarios/extract/split_period.ts";

test("parts follow each other from the first instant to the last", () => {
  assertEquals(splitPeriod({ fromMs: 10, toMs: 20 }, 1), [{ fromMs: 10, toMs: 20 }]);
  assertEquals(splitPeriod({ fromMs: -1, toMs: 9 }, 3), [
    { fromMs: -1, toMs: 2 },
    { fromMs: 2, toMs: 5 },
    { fromMs: 5, toMs: 9 },
  ]);
});

test("there are no more parts than milliseconds, and none is empty", () => {
  assertEquals(splitPeriod({ fromMs: 5, toMs: 7 }, 8), [
    { fromMs: 5, toMs: 6 },
    { fromMs: 6, toMs: 7 },
  ]);
});
