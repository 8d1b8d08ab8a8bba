import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { isMeasured } from "../../../bench/results/result.ts";
import { describePasses, passesChart } from "../../../scripts/documents/passes_chart.ts";
import { reportResults } from "../fixtures/report_results.ts";

const svg = await passesChart(reportResults);
const rows = reportResults.rows.filter((row) =>
  row.workload === "copy_lines" && row.contestant !== "noop" && isMeasured(row)
);

test("every median is a point, every quartile range a bar, every runtime a panel", () => {
  const points = svg.match(/<path [^>]*stroke-width="1\.5"[^>]*opacity="1"/g) ?? [];
  assertEquals(points.length, rows.length);
  assertEquals(svg.match(/<line [^>]*stroke-width="5"/g)?.length, rows.length);
  const names = ["web", "node", "pull-stream", "fuse", "pipeline", "hand"];
  for (const text of ["deno 2.9.6", "bun 1.4.5", "node 26.10.0", ...names]) {
    assertStringIncludes(svg, `>${text}</text>`);
  }
});

test("it says what it is in words, with where the numbers come from", () => {
  assertStringIncludes(svg, 'role="img" aria-labelledby="passes-title passes-description"');
  assertStringIncludes(svg, describePasses(reportResults));
  assertStringIncludes(svg, "--seed 42");
  for (const start of ["deno: web ", "bun: web ", "node: web "]) {
    assertStringIncludes(describePasses(reportResults), start);
  }
});

test("the same results give the same bytes, in whatever order their rows are", async () => {
  assertEquals(await passesChart(reportResults), svg);
  const reversed = { ...reportResults, rows: reportResults.rows.toReversed() };
  assertEquals(await passesChart(reversed), svg);
});

test("an image brings its colours for light and dark pages, and nothing of the page's", () => {
  assert(!/var\(|#0[1-4]0[1-4]0[1-4]"/.test(svg));
  assert(!/<script|href/.test(svg));
  assertStringIncludes(svg, "@media (prefers-color-scheme: dark)");
});

test("results without copy_lines are refused", async () => {
  await assertRejects(
    () => passesChart({ ...reportResults, rows: [] }),
    Error,
    "no row of copy_lines",
  );
});
