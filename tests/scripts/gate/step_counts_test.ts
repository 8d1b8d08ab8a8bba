import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { stepCounts } from "../../../scripts/gate/step_counts.ts";

test("stepCounts takes a step without tests as one", () => {
  assertEquals(stepCounts(0, "fine"), { passed: 1, failed: 0, skipped: 0 });
  assertEquals(stepCounts(1, "5 passed, 0 failed"), { passed: 0, failed: 1, skipped: 0 });
  assertEquals(stepCounts(null, ""), { passed: 0, failed: 1, skipped: 0 });
});

test("stepCounts takes the sum in the last line of the tests", () => {
  const output = "deno: 1 passed, 0 failed\n12 passed, 3 failed, 4 skipped\n";
  assertEquals(stepCounts(1, output, true), { passed: 12, failed: 3, skipped: 4 });
  assertEquals(stepCounts(0, "7 passed, 0 failed", true), { passed: 7, failed: 0, skipped: 0 });
});

test("stepCounts does not believe tests that died or gave no sum", () => {
  assertEquals(stepCounts(1, "7 passed, 0 failed", true), { passed: 7, failed: 1, skipped: 0 });
  assertEquals(stepCounts(0, "no sum", true), { passed: 0, failed: 1, skipped: 0 });
  assertEquals(stepCounts(0, "7 passed, 0 failed\nmore", true), {
    passed: 0,
    failed: 1,
    skipped: 0,
  });
});
