import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { calmerRow, casesToRemeasure } from "../../../bench/measure/remeasure.ts";
import type { FailedRow } from "../../../bench/results/result.ts";
import { makeRow } from "../results/_make_row.ts";

const benchCase = {
  workload: "copy",
  contestant: "hand",
  runtime: "node",
  params: {},
  nodeFlags: [],
} as const;
const calm = makeRow({ samples: [10, 10, 11] });
const restless = makeRow({ samples: [5, 10, 20] });
const worse = makeRow({ samples: [5, 10, 80] });
const failed: FailedRow = {
  ...{ workload: "copy", contestant: "hand", runtime: "node", runtimeVersion: "26.0.0" },
  ...{ params: {}, error: "timed out" },
};

test("what disagrees most is measured once more, and not what is settled or failed", () => {
  const measured = [restless, calm, failed, worse].map((row) => ({ benchCase, row }));
  assertEquals(casesToRemeasure(measured).map(({ row }) => row), [worse, restless]);
});

test("of two measurements the calmer counts, also if it is the slower", () => {
  assertEquals(calmerRow(restless, calm), { ...calm, timesMeasured: 2 });
  const slow = makeRow({ samples: [100, 100, 101] });
  assertEquals(calmerRow(restless, slow), { ...slow, timesMeasured: 2 });
  assertEquals(calmerRow(restless, worse), { ...restless, timesMeasured: 2 });
});

test("a failure at the second time is no less one", () => {
  assertEquals(calmerRow(restless, failed), failed);
});
