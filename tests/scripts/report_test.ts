import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { writeResultFile } from "../../bench/results/write_result_file.ts";
import { report } from "../../scripts/report.ts";
import { buildReport } from "../../scripts/report/build_report.ts";
import { makeResults } from "../bench/results/_make_results.ts";
import { makeRow } from "../bench/results/_make_row.ts";
import { inFolder } from "../lib/in_folder.ts";

const evil = "<img src=x onerror=alert(1)>";
const shared = { workload: "copy_lines", params: { passes: 100 } };
const { runtime, runtimeVersion } = makeRow();
const rows = [
  ...[["pipeline", 10], ["web", 500], [evil, 4], ["noop", 0]].map(([contestant, median]) =>
    makeRow({ ...shared, contestant: `${contestant}`, samples: [Number(median)] })
  ),
  { ...shared, contestant: "node", runtime, runtimeVersion, error: `crashed: ${evil}` },
  makeRow({ workload: "passthrough" }),
];
const page = buildReport([{ name: "made-up.json", result: makeResults(rows) }], []);
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

test("every measured row but noop's is a bar, and a failed one says why", () => {
  assertEquals(count(page, /class="bar"/g), 4);
  assertEquals(count(page, /colspan="5">failed: crashed/g), 1);
});

test("nothing of the results is markup, and the page loads nothing", () => {
  assert(!/<script|<img|https?:\/\/|@import|url\(/.test(page));
});

test("it says what the runs support, and where a peer wins", () => {
  assertStringIncludes(page, "Web Streams at default highWaterMarks: 50.0 in Node.");
  assertStringIncludes(page, "<li>copy_lines, node: &lt;img");
  const none = buildReport([{ name: "none", result: makeResults([]) }], []);
  assertStringIncludes(none, "Nowhere in these rows.");
});

test("of several files the last that has a workload speaks for it", () =>
  inFolder(async (folder) => {
    const paths = await Promise.all([1, 2].map(async (seed) => {
      const path = join(folder, `${seed}.json`);
      await writeResultFile(path, makeResults(seed === 1 ? rows : rows.slice(0, 1), seed));
      return path;
    }));
    const out = join(folder, "report.html");
    assertEquals(await report([...paths, "--out", out]), 0);
    const text = await readFile(out, "utf8");
    // One of the second file, one of the workload that it has not.
    assertEquals(count(text, /class="bar"/g), 2);
    assertStringIncludes(text, "seed 2.");
  }));
