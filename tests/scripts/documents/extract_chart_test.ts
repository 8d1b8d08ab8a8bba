import { test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { extractChart } from "../../../scripts/documents/extract_chart.ts";
import { makeRow } from "../../bench/results/_make_row.ts";
import { reportResults } from "../fixtures/report_results.ts";

const row = (contestant: string, days: number, seconds: number) =>
  makeRow({ workload: "extract", contestant, params: { days }, samples: [seconds * 1000] });

test("each step of the longest period is a point in both panels, and a sentence", async () => {
  const rows = [row("cursor", 1, 0.5), row("cursor", 30, 4), row("projection", 30, 2)];
  const svg = await extractChart({ ...reportResults, rows });
  assertEquals(svg.match(/<path [^>]*stroke-width="2"[^>]*opacity="0.9"/g)?.length, 4);
  assertStringIncludes(svg, "cursor in node: 4.00 s");
  assertStringIncludes(svg, "seconds for 30 days");
  const reversed = await extractChart({ ...reportResults, rows: rows.toReversed() });
  assertEquals(reversed, svg);
});

test("a step that dies is marked where it died, and said so", async () => {
  const { median: _, samples: _1, p25: _2, p75: _3, unit: _4, ...dead } = row("load-all", 30, 1);
  const error = "dies after 1.1 s by SIGABRT: a heap of 192 MiB is out of memory";
  const rows = [{ ...dead, error }, row("cursor", 30, 4)];
  const svg = await extractChart({ ...reportResults, rows });
  assertEquals(svg.match(/✕ dies \(node\)</g)?.length, 2);
  assertStringIncludes(svg, `load-all in node ${error}.`);
});

test("without rows there is an image that says so", async () => {
  assertStringIncludes(
    await extractChart({ ...reportResults, rows: [] }),
    "Nothing was measured.",
  );
});
