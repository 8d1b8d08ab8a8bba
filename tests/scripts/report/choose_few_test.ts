import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { chooseFew } from "../../../scripts/report/choose_few.ts";
import { makeRow } from "../../bench/results/_make_row.ts";

function rowsOf(times: Record<string, readonly number[]>) {
  return Object.entries(times).flatMap(([contestant, all]) =>
    all.map((ms, passes) => makeRow({ contestant, params: { passes }, samples: [ms, ms, ms] }))
  );
}

test("five or fewer are all there are", () => {
  assertEquals(chooseFew(["a", "b"], []), ["a", "b"]);
});

test("ours, the limit, what runtimes have, and the rival that is fastest over all of its cases", () => {
  const order = ["step-list", "hand", "fuse", "pipeline", "slow", "web", "node", "often", "once"];
  const rows = rowsOf({
    ...{ "step-list": [1, 1], fuse: [1, 1], slow: [90, 90] },
    // Fastest in one case, and far behind in the other.
    ...{ often: [12, 12], once: [10, 80] },
  });
  assertEquals(chooseFew(order, rows), ["hand", "pipeline", "web", "node", "often"]);
});

test("of a ladder without them the fastest, and the first", () => {
  const order = ["one", "two", "three", "four", "five", "six", "seven"];
  const rows = rowsOf({ one: [9], two: [8], six: [1], seven: [3] });
  assertEquals(chooseFew(order, rows), ["one", "two", "three", "four", "six"]);
});
