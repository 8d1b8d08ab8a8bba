import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { isMeasured } from "../../bench/results/result.ts";
import { buildReport } from "../../scripts/report/build_report.ts";
import { demoChart } from "../../scripts/report/charts/demo_chart.ts";
import { isThorough } from "../lib/thorough.ts";
import { findChromium } from "../package/_find_chromium.ts";
import { lookAtReport, type ReportView, type SectionView } from "./_look_at_report.ts";
import { type Visit, visitReport } from "./_visit_report.ts";
import { reportResults } from "./fixtures/report_results.ts";

const executable = findChromium();
const isRequired = process.env.HOSEPIPE_REQUIRE_CHROMIUM === "1";
const skip = executable === undefined && !isRequired;
// The page runs in the browser, whatever drives it: one runtime is enough.
const isDriver = currentRuntime().name === "deno";

function inChromium(name: string, check: () => Promise<void>): void {
  if (isDriver) test(`report in Chromium: ${name}`, { skip }, check);
}

/** Built once for all tests. */
const built = (async () =>
  await buildReport([{ name: "made-up.json", result: reportResults }], {
    notes: { about: () => "", order: () => [] },
    more: [await demoChart()],
  }))();

test("the report that a browser is given has all its parts", async () => {
  const ids = [...(await built).matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id);
  const last = ["passthrough", "memory_to_null", "concurrency", "odd_job", "memory", "demos"];
  assertEquals(ids, ["copy_lines", "peers", ...last]);
});

let visit: Promise<Visit<ReportView>> | undefined;

/** One visit answers all tests: the browser is closed before the first of them goes on. */
function visited(): Promise<Visit<ReportView>> {
  if (executable === undefined) throw new Error("Cannot find Chromium: set HOSEPIPE_CHROMIUM");
  return visit ??= (async () => {
    return await visitReport(executable, await built, [
      // In the gate axe sees each width and each colour once.
      { width: 360, colorScheme: "light", usesAxe: isThorough },
      { width: 360, colorScheme: "dark", usesAxe: true },
      { width: 1280, colorScheme: "light", usesAxe: true },
    ], lookAtReport);
  })();
}

function find(sections: readonly SectionView[], id: string): SectionView {
  const section = sections.find((one) => one.id === id);
  if (section === undefined) throw new Error(`no section ${id}`);
  return section;
}

inChromium("no error, no warning, no dialog, no request", async () => {
  assertEquals((await visited()).complaints, []);
});

inChromium("nothing overflows, no column is hidden, and pictures can be read", async () => {
  for (const { viewer, overflow, overflowing, cut, smallestText } of (await visited()).seen) {
    assertEquals([overflow, overflowing, cut], [0, [], []], `${viewer.width}`);
    assert(
      smallestText >= 9 && smallestText < 20,
      `text of ${smallestText} pixels at ${viewer.width}`,
    );
  }
});

inChromium("the page is light by day and dark by night", async () => {
  const [light, dark, wide] = (await visited()).seen.map(({ background }) => background);
  assertNotEquals(light, dark);
  assertEquals([light, wide], ["rgb(255, 255, 255)", "rgb(255, 255, 255)"]);
});

inChromium("every chart shows its data", async () => {
  const rows = reportResults.rows.filter((row) =>
    row.workload === "copy_lines" && !["noop", "fuse"].includes(row.contestant) && isMeasured(row)
  );
  const lines = 5 * 3;
  for (const { sections } of (await visited()).seen) {
    const copyLines = find(sections, "copy_lines");
    assertEquals(copyLines, {
      ...{ id: "copy_lines", figures: 3 },
      // A point and a bar each; a line, and its name, the sign before it and what leads there.
      marks: rows.length * 2 + lines * 4,
      // At each of four numbers of stages a heading and everybody.
      tableRows: 4 * (3 + lines),
    });
    assertEquals(find(sections, "memory_to_null").figures, 6, "one variant of two");
    for (const { id, figures, marks, tableRows } of sections) {
      if (id === "peers") assertEquals(tableRows > 0, true);
      else assert(figures > 0 && marks > 0 && tableRows > 0, id);
    }
  }
});

inChromium("a contestant can be hidden and shown, from any legend", async () => {
  for (const { sections, withoutWeb } of (await visited()).seen) {
    const [before, after] = [find(sections, "copy_lines"), find(withoutWeb, "copy_lines")];
    const webMarks = 3 * 4 + 2 * 11;
    assertEquals(before.marks - after.marks, webMarks, "3 lines with names, 11 points, 11 bars");
    assertEquals(before.tableRows - after.tableRows, 3 * 4);
    assert(find(withoutWeb, "passthrough").marks < find(sections, "passthrough").marks);
    assertEquals(find(withoutWeb, "demos").figures, 1, "the panel that is all about it");
  }
});

inChromium("runtimes can be hidden, all of them too, and shown again", async () => {
  for (const { sections, onlyNode, none, afterReset } of (await visited()).seen) {
    assertEquals(find(onlyNode, "copy_lines").figures, 1);
    assertEquals(find(onlyNode, "odd_job").figures, 1);
    assertEquals(none, { figures: 0, saysSo: true });
    assertEquals(afterReset, sections);
  }
});

inChromium("of a chart's variants the chosen one is shown", async () => {
  for (const { variants } of (await visited()).seen) {
    assertEquals(variants, [["0", ["0"]], ["1", ["1"]]]);
  }
});

inChromium(
  "printed, the tables are open and whole, the legend stays and the controls are gone",
  async () => {
    for (const { printed } of (await visited()).seen) {
      assertEquals(printed, { tables: 3, controls: 0, legends: 5, cut: [] });
    }
  },
);

inChromium("axe finds nothing wrong", async () => {
  for (const { violations } of (await visited()).seen) assertEquals(violations, []);
});
