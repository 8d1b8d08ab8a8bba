import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isMeasured } from "../../bench/results/result.ts";
import { writeResultFile } from "../../bench/results/write_result_file.ts";
import { report } from "../../scripts/report.ts";
import { buildReport } from "../../scripts/report/build_report.ts";
import { inFolder } from "../lib/in_folder.ts";
import { evilError, evilMachine, evilName, reportResults } from "./fixtures/report_results.ts";

const page = buildReport([{ name: "made-up.json", result: reportResults }], []);
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

test("every measured row but noop's is a bar, and a failed one says why", () => {
  const rows = reportResults.rows.filter(({ contestant }) => contestant !== "noop");
  assertEquals(count(page, /class="bar"/g), rows.filter(isMeasured).length);
  const failed = rows.filter((row) => !isMeasured(row)).length;
  assertEquals(count(page, /colspan="5">failed: /g), failed);
});

test("nothing of the results is markup, and the page loads nothing", () => {
  for (const evil of [evilName, evilMachine, evilError]) assert(!page.includes(evil), evil);
  assert(!/<script|https?:\/\/|@import|url\(/.test(page));
});

test("it says what the runs support, and where a peer wins", () => {
  assertStringIncludes(page, "Web Streams at default highWaterMarks");
  assertStringIncludes(page, '<section id="peers"><h2>Where a peer wins</h2>');
  const none = buildReport([{ name: "none", result: { ...reportResults, rows: [] } }], []);
  assertStringIncludes(none, "Nowhere in these rows.");
});

test("of several files the last that has a workload speaks for it", async () => {
  await inFolder(async (folder) => {
    const paths = await Promise.all([1, 2].map(async (seed) => {
      const path = join(folder, `${seed}.json`);
      const rows = seed === 1 ? reportResults.rows : reportResults.rows.slice(0, 1);
      await writeResultFile(path, { ...reportResults, seed, rows });
      return path;
    }));
    const out = join(folder, "report.html");
    assertEquals(await report([...paths, "--out", out]), 0);
    const text = await readFile(out, "utf8");
    const workload = reportResults.rows[0]!.workload;
    const section = text.slice(text.indexOf(`<section id="${workload}">`)).split("</section>")[0]!;
    assert(count(section, /class="bar"/g) <= 1);
    assertStringIncludes(text, "seed 2.");
  });
});
