import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { medianRange, ratioRange, type RowQuery } from "../../../bench/results/ranges.ts";
import { makeResults } from "./_make_results.ts";
import { makeRow } from "./_make_row.ts";

const query = (contestant: string, params: RowQuery["params"] = {}): RowQuery => ({
  ...{ workload: "copy", contestant, runtime: "node", params },
});

function runOf(medians: Readonly<Record<string, Readonly<Record<number, number>>>>) {
  const rows = Object.entries(medians).flatMap(([contestant, byPasses]) =>
    Object.entries(byPasses).map(([passes, median]) =>
      makeRow({ contestant, params: { passes: Number(passes) }, samples: [median, median, median] })
    )
  );
  return makeResults(rows);
}

const runs = [
  runOf({ ours: { 0: 10, 100: 20 }, theirs: { 0: 5, 100: 40 } }),
  runOf({ ours: { 0: 12, 100: 20 }, theirs: { 0: 4, 100: 40 } }),
];

test("a ratio covers every parameter that its sides do not name, each beside its own kind", () => {
  assertEquals(ratioRange(runs, query("ours"), query("theirs")), { low: 0.5, high: 3 });
  assertEquals(ratioRange(runs, query("ours", { passes: 100 }), query("theirs")), {
    low: 0.5,
    high: 0.5,
  });
  assertEquals(ratioRange(runs, query("ours", { passes: 0 }), query("theirs", { passes: 100 })), {
    low: 0.25,
    high: 0.3,
  });
});

test("what no run has has no range", () => {
  assertEquals(ratioRange(runs, query("ours"), query("others")), undefined);
  assertEquals(medianRange(runs, query("ours", { passes: 7 })), undefined);
  assertEquals(medianRange(runs, query("ours", { passes: 0 })), { low: 10, high: 12 });
});
