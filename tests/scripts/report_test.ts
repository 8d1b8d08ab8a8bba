import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { isMeasured } from "../../bench/results/result.ts";
import { writeResultFile } from "../../bench/results/write_result_file.ts";
import { UsageError } from "../../scripts/command_line/usage_error.ts";
import { report } from "../../scripts/report.ts";
import { buildReport } from "../../scripts/report/build_report.ts";
import { Html } from "../../scripts/report/html.ts";
import { evilError, evilMachine, evilName, reportResults } from "./fixtures/report_results.ts";
import { inFolder } from "../lib/in_folder.ts";

const notes = { about: () => "", order: () => ["hand", "pipeline"] };
const named = { name: "made-up.json", result: reportResults };
const page = await buildReport([named], { notes });

function sectionOf(text: string, id: string): string {
  const start = text.indexOf(`<section id="${id}">`);
  assert(start >= 0, `no section ${id}`);
  return text.slice(start, text.indexOf("</section>", start));
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function measured(workload: string) {
  return reportResults.rows.filter((row) =>
    row.workload === workload && row.contestant !== "noop" && isMeasured(row)
  );
}

/** Of copy_lines, which has six contestants, five are shown. */
function shown(workload: string) {
  return measured(workload).filter(({ contestant }) => contestant !== "fuse");
}

const titledPoint =
  /<path [^>]*data-api="[^"]+"[^>]*><title>[^<]+: [^<]* \([^<]+ to [^<]+\)<\/title>/g;

const bars = /<line [^>]*data-api="[^"]+"[^>]*stroke-width="5"/g;

test("every measured row of those shown is a point and a bar of its workload's chart", () => {
  for (const workload of ["copy_lines", "passthrough", "memory_to_null"]) {
    const section = sectionOf(page, workload);
    assertEquals(count(section, titledPoint), shown(workload).length, `${workload}: points`);
    assertEquals(count(section, bars), shown(workload).length, `${workload}: quartiles`);
  }
});

test("a chart shows five contestants and names the others; asked for, it shows all", async () => {
  const few = sectionOf(page, "copy_lines");
  assertStringIncludes(few, "Not shown: fuse. <code>deno task report --all</code>");
  assertEquals(count(few, /data-filter="api"/g), 5);
  const all = sectionOf(await buildReport([named], { notes, isAll: true }), "copy_lines");
  assert(!all.includes("Not shown"));
  assertEquals(count(all, /data-filter="api"/g), 6);
  assertEquals(count(all, titledPoint), measured("copy_lines").length);
});

test("a line has its contestant's name at its end, and the log axes are explained", () => {
  const section = sectionOf(page, "copy_lines");
  for (const api of ["hand", "pipeline", "web", "node", "pull-stream"]) {
    const names = new RegExp(`<text [^>]*data-api="${api}"[^>]*>${api}</text>`, "g");
    assertEquals(count(section, names), 3, api);
  }
  assertStringIncludes(section, "The axis of time is logarithmic: ");
  assertStringIncludes(section, "So is the axis of do-nothing stages, beyond its first step.");
  assert(!sectionOf(page, "memory").includes("logarithmic"));
});

test("the chart of the opening sentence comes first, then where a peer wins", () => {
  assert(
    /<strong>With 100 stages that do nothing Web Streams take [\d.]+ times as long as pipeline in Deno, [\d.]+ in Bun, [\d.]+ in Node\.<\/strong>/
      .test(page),
  );
  const ids = [...page.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id);
  assertEquals(ids.slice(0, 2), ["copy_lines", "peers"]);
  const links = [...page.matchAll(/<li><a href="#([^"]+)"/g)].map(([, id]) => id);
  assertEquals(links, ids);
});

test("every picture has a title and a description of its own, and a table beside it", () => {
  const figures = page.match(/<figure[\s\S]*?<\/figure>/g) ?? [];
  assertEquals(figures.length, 3 + 3 + 3 * 4 + 3 + 1 + 3 * 4 + 1);
  const ids = new Set<string>();
  for (const figure of figures) {
    const [, title, description] = /role="img" aria-labelledby="(\S+) (\S+)"/.exec(figure) ??
      ["", "", ""];
    ids.add(title!).add(description!);
    assertStringIncludes(figure, `<title id="${title}">`);
    assert(new RegExp(`<desc id="${description}">[^<]{20,}`).test(figure), "a description");
    assert(/<tbody>\s*<tr/.test(figure), "a table with rows");
  }
  assertEquals(ids.size, 2 * figures.length);
});

test("tables have medians, quartiles and rates; failures and reservations are told", () => {
  const copied = sectionOf(page, "copy_lines");
  const row = measured("copy_lines").find((row) => row.runtime === "node")!;
  assert(isMeasured(row));
  assert(/<td>\d[\d.]* ms<\/td><td>[\d.]+–[\d.]+ ms<\/td><td>5<\/td>/.test(copied));
  assertStringIncludes(copied, 'scope="rowgroup" colspan="4">do-nothing stages: 300</th>');
  assertStringIncludes(copied, "copy_lines passes=300: web/bun: timed out after 300 s");
  assertStringIncludes(copied, "<td>failed</td>");
  assert(/<td>[\d.]+ s \?<\/td>/.test(copied), "fewer than 3 samples");
  assert(/[MG]iB\/s<\/small>/.test(sectionOf(page, "passthrough")));
  assert(/x the bound<\/small>/.test(sectionOf(page, "concurrency")));
});

test("machine, versions, commit, seed and the commands are there", () => {
  for (const fact of ["8 cores", "15.6 GiB", "Linux 6.12 x64", "seed 42", "interrupted"]) {
    assertStringIncludes(page, fact);
  }
  assertStringIncludes(page, `${reportResults.commit}, with changes`);
  for (const name of runtimeNames) assert(new RegExp(`${name} \\d+\\.\\d+\\.\\d+`).test(page));
  assertStringIncludes(
    sectionOf(page, "passthrough"),
    "deno task bench --workload passthrough --param amount=64MiB --param chunkKiB=16 " +
      "--param stages=0,1,8 --seed 42",
  );
});

test("what is markup in the results is text in the report", () => {
  for (const evil of [evilName, evilMachine, evilError]) assert(!page.includes(evil), evil);
  assertStringIncludes(page, "&lt;img src=x onerror=alert(1)&gt;");
  assertStringIncludes(page, "Made-up CPU &lt;script&gt;");
  assertEquals(count(page, /<script/g), 1);
});

test("the report needs nothing but itself", () => {
  const links = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link!);
  assert(links.length > 5);
  for (const link of links) assert(link.startsWith("#") || link === "data:,", link);
  const addresses = page.match(/\bhttps?:[^"' <]*/g) ?? [];
  assertEquals([...new Set(addresses)], ["http://www.w3.org/2000/svg"], "a name, not an address");
  assertStringIncludes(page, "default-src 'none'");
});

test("the same results give the same report to the byte", async () => {
  assertEquals(await buildReport([named], { notes }), page);
});

test("a workload that is absent is one line, not an empty chart", async () => {
  const rows = reportResults.rows.filter(({ workload }) => workload === "copy_lines");
  const text = await buildReport([{ name: "a", result: { ...reportResults, rows } }], { notes });
  for (const workload of ["passthrough", "memory_to_null", "concurrency"]) {
    assert(!text.includes(`<section id="${workload}"`));
    assertEquals(count(text, new RegExp(`bench --workload ${workload}</code>`, "g")), 1);
  }
  assertEquals(count(text, /<figure/g), 6, "time and memory in three runtimes");
});

test("where a parameter has one value, contestants stand below each other", async () => {
  const rows = reportResults.rows.filter(({ workload, params, contestant }) =>
    workload === "passthrough" && (params.stages === 8 || contestant === "noop")
  );
  const text = await buildReport([{ name: "a", result: { ...reportResults, rows } }], { notes });
  const section = sectionOf(text, "passthrough");
  assertEquals(count(section, titledPoint), rows.length);
  assert(/<text [^>]*>web_bytes<\/text>/.test(section), "categories");
  assertStringIncludes(section, "Everywhere amount=64MiB chunkKiB=16 stages=8.");
});

test("results in which everything failed, or nothing is, still make a report", async () => {
  const rows = reportResults.rows.filter((row) => !isMeasured(row));
  const failures = await buildReport([{ name: "a", result: { ...reportResults, rows } }], {
    notes,
  });
  assertStringIncludes(failures, "Nothing was measured.");
  assertStringIncludes(failures, "timed out after 300 s");
  const empty = await buildReport([{ name: "a", result: { ...reportResults, rows: [] } }], {
    notes,
    more: [new Html("<p>And more.</p>")],
  });
  assertEquals(count(empty, /<figure/g), 0);
  assertEquals(count(empty, /measures it/g), 4);
  assertStringIncludes(empty, "<p>And more.</p>");
});

test("of several files the last that has a workload speaks for it", async () => {
  const pick = (workload: string) => reportResults.rows.filter((row) => row.workload === workload);
  const first = { ...reportResults, rows: [...pick("copy_lines"), ...pick("passthrough")] };
  const second = { ...reportResults, seed: 77, rows: pick("passthrough") };
  const text = await buildReport([{ name: "1", result: first }, { name: "2", result: second }], {
    notes,
  });
  assertStringIncludes(sectionOf(text, "copy_lines"), "--seed 42");
  assertStringIncludes(sectionOf(text, "passthrough"), "--seed 77");
  assertEquals(count(sectionOf(text, "passthrough"), titledPoint), measured("passthrough").length);
  assertEquals(count(text, /<section id="memory/g), 2, "each file's memory by itself");
});

test("the command writes the file, with the demos' concurrency over time", () =>
  inFolder(async (folder) => {
    const [json, out] = [join(folder, "results.json"), join(folder, "report.html")];
    await writeResultFile(json, reportResults);
    assertEquals(await report([json, "--out", out]), 0);
    const text = await readFile(out, "utf8");
    const demos = sectionOf(text, "demos");
    assertEquals(count(demos, /<figure/g), 2);
    assertEquals(count(demos, /<path [^>]*data-api="demo 0[56][^"]*"/g), 4);
    assertStringIncludes(demos, "deno task demo 06 --api both --messages 100");
    assertStringIncludes(text, "<dd>results.json, ");
  }));

test("unknown flags, a folder that is missing and results that are none are refused", () =>
  inFolder(async (folder) => {
    const out = join(folder, "report.html");
    await assertRejects(() => report(["--fast"]), UsageError, "the flags are --out, --all, --help");
    await assertRejects(() => report(["--out", join(folder, "no", "a.html")]), UsageError, "--out");
    await writeFile(join(folder, "none.json"), "{}");
    await assertRejects(
      () => report([join(folder, "none.json"), "--out", out]),
      Error,
      "schema must be 1",
    );
  }));
