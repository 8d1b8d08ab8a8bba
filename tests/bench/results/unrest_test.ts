import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { unrest } from "../../../bench/results/unrest.ts";
import { makeRow } from "./_make_row.ts";

test("unrest is what lies between the quartiles, by the median", () => {
  assertEquals(unrest(makeRow({ samples: [10, 10, 10] })), 0);
  assertEquals(unrest(makeRow({ samples: [8, 9, 10, 12, 20] })), 0.3);
});

test("what is too short to tell by, or was not measured, has no unrest", () => {
  assertEquals(unrest(makeRow({ samples: [0.1, 0.5, 0.9] })), 0);
  const { workload, contestant, runtime, runtimeVersion, params } = makeRow();
  assertEquals(
    unrest({ workload, contestant, runtime, runtimeVersion, params, error: "timed out" }),
    0,
  );
});
