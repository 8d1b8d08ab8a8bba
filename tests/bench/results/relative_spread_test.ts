import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { relativeSpread } from "../../../bench/results/relative_spread.ts";
import { makeRow } from "./_make_row.ts";

test("relativeSpread is what lies between the quartiles, by the median", () => {
  assertEquals(relativeSpread(makeRow({ samples: [10, 10, 10] })), 0);
  assertEquals(relativeSpread(makeRow({ samples: [8, 9, 10, 12, 20] })), 0.3);
});

test("what is too short to tell by, or was not measured, has none", () => {
  assertEquals(relativeSpread(makeRow({ samples: [0.1, 0.5, 0.9] })), 0);
  const { workload, contestant, runtime, runtimeVersion, params } = makeRow();
  assertEquals(
    relativeSpread({ workload, contestant, runtime, runtimeVersion, params, error: "timed out" }),
    0,
  );
});
