import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { calmerRow, unsettledLooks } from "../../../bench/measure/look_again.ts";
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

test("a second look is wanted at what disagrees most, and not at what is settled or failed", () => {
  const looks = [restless, calm, failed, worse].map((row) => ({ benchCase, row }));
  assertEquals(unsettledLooks(looks).map(({ row }) => row), [worse, restless]);
});

test("of two looks the calmer counts, also if it is the slower", () => {
  assertEquals(calmerRow(restless, calm), { ...calm, looks: 2 });
  const slow = makeRow({ samples: [100, 100, 101] });
  assertEquals(calmerRow(restless, slow), { ...slow, looks: 2 });
  assertEquals(calmerRow(restless, worse), { ...restless, looks: 2 });
});

test("a failure at the second look is no less one", () => {
  assertEquals(calmerRow(restless, failed), failed);
});
