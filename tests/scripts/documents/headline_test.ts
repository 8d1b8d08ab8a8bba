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

const linesOf = (rows: readonly Row[]) =>
  headline([{ ...reportResults, rows }]).replaceAll("\n  ", " ").split("\n");
const copied = [
  ...rowsOf("copy_lines", { passes: 100 }, "deno", { web: 5699, pipeline: 100 }),
  ...rowsOf("copy_lines", { passes: 100 }, "node", { web: 9999, pipeline: 100 }),
];
const hundred =
  "- 100 stages that do nothing, between two files: **56–99×** the speed of native Web Streams at default highWaterMarks";

test("ratios span the runtimes, and are rounded against us", () => {
  const [first, second] = linesOf(copied);
  assertEquals(first, hundred);
  assert(
    /^- \*\*[\d.]+ KiB\*\* gzipped for `pipeline` and `map`, and no dependency$/.test(second!),
  );
});

test("real work comes first where it was measured", () => {
  const worked = rowsOf("real_work", { from: "file", events: 4000 }, "bun", {
    ...{ web: 238, node: 159, pipeline: 100 },
  });
  const gzipped = rowsOf("real_work", { from: "gzip" }, "bun", { web: 1, node: 1, pipeline: 9 });
  assertEquals(linesOf([...copied, ...gzipped, ...worked]).slice(0, 2), [
    "- Filtering a file of JSON lines in five stages: **2.3×** the speed of native Web Streams at default highWaterMarks, **1.5×** that of `node:stream`",
    hundred,
  ]);
});

test("native streams are taken at the highWaterMarks that are best for them", () => {
  const params = { passes: 100 };
  const rows = [
    ...rowsOf("copy_lines", params, "deno", { "web": 5699, "web-16": 2100, "pipeline": 100 }),
    ...rowsOf("copy_lines", params, "node", { "web": 3000, "web-16": 4000, "pipeline": 100 }),
  ];
  const [first] = linesOf(rows);
  assertEquals(
    first,
    "- 100 stages that do nothing, between two files: **21–30×** the speed of native Web Streams at their best highWaterMarks",
  );
});

test("what was not measured is left out", () => {
  assertEquals(linesOf([]).length, 1);
});
