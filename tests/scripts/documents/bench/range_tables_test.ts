import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import type { Workload } from "../../../../bench/measure/workload.ts";
import { mergeRuns } from "../../../../bench/results/merge_runs.ts";
import { isMeasured, type ResultFile, type Row } from "../../../../bench/results/result.ts";
import { claimsList } from "../../../../scripts/documents/bench/claims.ts";
import { contestantsTable } from "../../../../scripts/documents/bench/contestants_table.ts";
import { fasterList } from "../../../../scripts/documents/bench/faster_list.ts";
import { rangeTables } from "../../../../scripts/documents/bench/range_tables.ts";
import { targetsTable } from "../../../../scripts/documents/bench/targets_table.ts";
import { makeRow } from "../../../bench/results/_make_row.ts";
import { reportResults } from "../../fixtures/report_results.ts";

type Medians = Readonly<Record<string, number>>;

function runOf(
  seed: number,
  medians: Medians,
  params: Row["params"] = { passes: 100 },
): ResultFile {
  const rows = Object.entries(medians).map(([contestant, median]) =>
    makeRow({ workload: "copy_lines", contestant, params, samples: [median, median, median] })
  );
  return { ...reportResults, seed, rows };
}

const runs = [
  runOf(1, { hand: 8, pipeline: 10, web: 500, effect: 9, node: 140 }),
  runOf(2, { hand: 9, pipeline: 11, web: 660, effect: 8, node: 121 }),
  runOf(3, { hand: 8, pipeline: 10, web: 700, effect: 9, node: 150 }),
];

const workload: Workload = {
  name: "copy_lines",
  about: "",
  params: {},
  contestants: [{
    name: "effect",
    about: "",
    whyFaster: { kind: "simpler", why: "It passes on arrays." },
  }],
  bars: [
    {
      ...{ dividend: { contestant: "web" }, divisor: { contestant: "pipeline" }, atLeast: 65 },
      whyMissed: "Too fast a web.",
    },
    { dividend: { contestant: "node" }, divisor: { contestant: "pipeline" }, atLeast: 10 },
    { dividend: { contestant: "pipeline" }, divisor: { contestant: "hand" }, atMost: 1.3 },
    { dividend: { contestant: "nobody" }, divisor: { contestant: "hand" }, atMost: 1 },
  ],
  prepare: () => Promise.reject(new Error("not here")),
};

test("tables give ranges over the runs, ours in time, the others as ratios within a run", () => {
  const text = rangeTables(runs, "copy_lines");
  const lines = text.split("\n").filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, 3).map((cell) => cell.trim()));
  assertEquals(lines.slice(2), [
    ["effect", "0.73 to 0.90"],
    ["_hand_", "0.80 to 0.82"],
    ["**pipeline**", "10.0 to 11.0 ms"],
    ["node", "11.0 to 15.0"],
    ["web", "50.0 to 70.0"],
  ]);
  assertStringIncludes(text, "3 whole runs");
  assertStringIncludes(text, "seeds 1, 2, 3");
  assertStringIncludes(text.replaceAll("\n", " "), "at least 3 samples in each run.");
  assertEquals(
    rangeTables(runs, "other"),
    "Not measured in these results: `deno task bench --workload other` does.",
  );
});

test("targets are judged in each run by its least favourable case, and explained where most runs miss them", () => {
  const [table, ...reasons] = targetsTable(runs, [workload]).split("\n\n");
  const rows = table!.split("\n").slice(2)
    .map((line) => line.split("|").slice(2, 6).map((cell) => cell.trim()));
  assertEquals(rows, [
    ["at least 65", "–", "–", "50.0 to 70.0 (missed in 2 of 3)"],
    ["at least 10", "–", "–", "11.0 to 15.0"],
    ["at most 1.3", "–", "–", "1.22 to 1.25"],
  ]);
  assertEquals(reasons, [
    "Why these targets are missed:",
    "- `copy_lines`: web / pipeline, in node. Too fast a web.",
  ]);
});

test("the list of who is faster gives the reason, names no control, and only what rows say", () => {
  const text = fasterList(reportResults, runs, [workload]).replaceAll(/\s+/g, " ");
  assertStringIncludes(
    text,
    "- **copy_lines**, node in 1 of 1 cases: effect, by up to 1.11 times. It passes on arrays.",
  );
  assert(!text.includes("hand,"));
  const none = fasterList({ ...reportResults, rows: [] }, [runOf(1, { pipeline: 1, web: 2 })], []);
  assertEquals(none, "Nowhere in these rows.");
});

test("sentences are made of the runs, or not said", () => {
  const text = claimsList(runs).replaceAll(/\s+/g, " ");
  assertStringIncludes(
    text,
    "100 stages that do nothing, Web Streams at default highWaterMarks: 50.0 to 70.0 in Node.",
  );
  assertStringIncludes(
    text,
    "100 stages that do nothing, the fastest rival: effect, 0.73 to 0.90 in Node.",
  );
  assert(!text.includes("JSON"));
});

test("several runs as one have all samples, and a failure in one is a failure", () => {
  const { rows } = mergeRuns(runs);
  const web = rows.filter(isMeasured).find(({ contestant }) => contestant === "web")!;
  assertEquals(web.samples, [500, 500, 500, 660, 660, 660, 700, 700, 700]);
  assertEquals(web.median, 660);
  const { workload, contestant, runtime, runtimeVersion, params } = web;
  const failed: Row = { workload, contestant, runtime, runtimeVersion, params, error: "timed out" };
  const merged = mergeRuns([...runs, { ...runs[0]!, rows: [failed] }]).rows;
  assertEquals(merged.find((row) => row.contestant === "web"), failed);
});

test("contestants are listed with their versions", () => {
  assert(/^\| `rxjs` +\| +rxjs 7\.\d+\.\d+ \|/m.test(contestantsTable()));
});
