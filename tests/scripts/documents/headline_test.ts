import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { Row } from "../../../bench/results/result.ts";
import type { RuntimeName } from "../../../runtimes/current_runtime.ts";
import { headline } from "../../../scripts/documents/headline.ts";
import { makeRow } from "../../bench/results/_make_row.ts";
import { reportResults } from "../fixtures/report_results.ts";

type Medians = Readonly<Record<string, number>>;

function rowsOf(workload: string, params: Row["params"], runtime: RuntimeName, medians: Medians) {
  return Object.entries(medians).map(([contestant, median]) =>
    makeRow({ workload, contestant, params, runtime, samples: [median] })
  );
}

const linesOf = (rows: readonly Row[]) => headline([{ ...reportResults, rows }]).split("\n");
const copied = [
  ...rowsOf("copy_lines", { passes: 100 }, "deno", { web: 5699, pipeline: 100 }),
  ...rowsOf("copy_lines", { passes: 100 }, "node", { web: 9999, pipeline: 100 }),
  ...rowsOf("copy_lines", { passes: 0 }, "deno", { hand: 100, pipeline: 96.1 }),
  ...rowsOf("copy_lines", { passes: 0 }, "node", { hand: 100, pipeline: 107 }),
];
const hundred =
  "- **56 to 99 times as fast** as native Web Streams, with 100 stages between two files";

test("ratios span the runtimes, and are rounded against us", () => {
  const [first, second, third] = linesOf(copied);
  assertEquals(first, hundred);
  assertEquals(second, "- **1.0 to 1.1 times** the time of a hand-written loop, without them");
  assert(/^- \*\*[\d.]+ KiB\*\* gzipped for `pipeline` and `map`, and no dependency$/.test(third!));
});

test("real work comes in place of the hand-written loop where it was measured", () => {
  const worked = rowsOf("real_work", { from: "file", events: 4000 }, "bun", {
    ...{ web: 238, node: 159, pipeline: 100 },
  });
  const gzipped = rowsOf("real_work", { from: "gzip" }, "bun", { web: 1, node: 1, pipeline: 9 });
  assertEquals(linesOf([...copied, ...gzipped, ...worked]).slice(0, 2), [
    hundred,
    "- **2.3 times as fast** as Web Streams and **1.5 times** as Node's at filtering a file of JSON lines",
  ]);
});

test("what was not measured is left out", () => {
  assertEquals(linesOf([]).length, 1);
});
