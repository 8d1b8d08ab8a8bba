import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { bootstrapRatio, compareResults } from "../../bench/results/compare.ts";
import type { MeasuredRow, ResultFile, Row } from "../../bench/results/result.ts";
import { quartiles } from "../../bench/results/statistics.ts";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import { inFolder } from "../lib/in_folder.ts";
import { startScript } from "../lib/start_script.ts";

/** A measured row as the tests want it. */
function makeRow(
  { samples = [10, 10, 10], ...rest }: Partial<MeasuredRow> = {},
): MeasuredRow {
  return {
    workload: "copy",
    contestant: "hand",
    runtime: "node",
    runtimeVersion: "26.0.0",
    params: { passes: 0 },
    unit: "ms",
    samples,
    ...quartiles(samples),
    iterationsPerSample: 1,
    firstRunCounted: false,
    timerTickMs: 1e-4,
    chunks: 1,
    bytes: 1,
    digest: "d1",
    cpuMs: 1,
    peakRssMiB: 50,
    ...rest,
  };
}

function makeResult(rows: readonly Row[], rest: Partial<ResultFile> = {}): ResultFile {
  return {
    schema: 1,
    commit: null,
    dirty: null,
    startedAt: "2026-11-21T10:00:00.000Z",
    elapsedMs: 1,
    machine: { cpu: "Abacus", cores: 2, memoryGiB: 8, os: "Linux 6 x64" },
    seed: 4,
    profile: "default",
    complete: true,
    rows,
    ...rest,
  };
}

function failed(contestant: string, error: string): Row {
  const { workload, runtime, runtimeVersion, params } = makeRow();
  return { workload, contestant, runtime, runtimeVersion, params, error };
}

function compareOne(old: Partial<MeasuredRow>, fresh: Partial<MeasuredRow>) {
  const { cases } = compareResults(
    makeResult([makeRow({ contestant: "web", ...old })]),
    makeResult([makeRow({ contestant: "web", ...fresh })]),
    0.1,
  );
  return cases[0]!;
}

test("the verdict follows from where the interval lies", () => {
  const old = { samples: [100, 101, 102, 103, 104] };
  const verdict = (samples: number[]) => compareOne(old, { samples }).verdict;
  assertEquals(verdict([50, 51, 52, 53, 54]), "better");
  assertEquals(verdict([100, 101, 102, 103, 104]), "unclear");
  assertEquals(verdict([105, 106, 107, 108, 109]), "worse");
  assertEquals(verdict([105, 106, 120, 130, 140]), "worse", "it may be within the threshold");
  assertEquals(verdict([200, 201, 202, 203, 204]), "regressed");
});

test("nothing is said of too few samples, of times too short or of another output", () => {
  const cases = [
    compareOne({ samples: [1, 1] }, { samples: [9, 9, 9] }),
    compareOne({ samples: [1e-5, 1e-5, 1e-5] }, { samples: [9, 9, 9] }),
    compareOne({ digest: "one" }, { digest: "other", samples: [90, 90, 90] }),
  ];
  assertEquals(cases.map(({ verdict, note }) => [verdict, note]), [
    ["unclear", "fewer than 3 samples"],
    ["unclear", "within 10 ticks of the clock"],
    ["unclear", "not the same output: another job or input"],
  ]);
  assertEquals(cases.map(({ ratio }) => ratio !== undefined), [true, true, false]);
});

/** Samples about a median, as a calm machine gives them. */
function draw(random: () => number, median: number): number[] {
  const noise = () => (random() + random() + random() + random() - 2) * 0.05;
  return Array.from({ length: 9 }, () => median * (1 + noise())).sort((one, other) => one - other);
}

function drawRun(seed: number, slowed?: string): ResultFile {
  const random = seededRandom(seed);
  const names = ["hand", ...Array.from({ length: 30 }, (_, index) => `contestant-${index}`)];
  return makeResult(names.map((contestant, index) =>
    makeRow({
      contestant,
      samples: draw(random, (10 + index) * (contestant === slowed ? 1.4 : 1)),
    })
  ));
}

test("unchanged code run ten times gives one false alarm at most", () => {
  const first = drawRun(0);
  const alarms = Array.from(
    { length: 10 },
    (_, index) =>
      compareResults(first, drawRun(index + 1), 0.1).cases
        .filter(({ verdict }) => verdict === "regressed").length,
  );
  assert(alarms.reduce((sum, count) => sum + count) <= 1, `${alarms}`);
});

test("a planted regression is found, and nothing but it", () => {
  const { cases, controls } = compareResults(drawRun(0), drawRun(1, "contestant-7"), 0.1);
  assertEquals(cases.filter(({ verdict }) => verdict === "regressed").map(({ name }) => name), [
    "copy passes=0: contestant-7/node",
  ]);
  assertEquals(controls.map(({ hasMoved }) => hasMoved), [false]);
});

test("where the control has moved, every verdict of its place is withheld; a failure is none of it", () => {
  const old = makeResult([
    makeRow(),
    makeRow({ contestant: "web" }),
    makeRow({ contestant: "node" }),
  ]);
  const samples = [20, 20, 20];
  const fresh = makeResult([
    makeRow({ samples }),
    makeRow({ contestant: "web", samples }),
    failed("node", "timed out"),
  ]);
  const { cases, controls } = compareResults(old, fresh, 0.1);
  assertEquals(cases.map(({ verdict }) => verdict), ["withheld", "withheld", "regressed"]);
  assertEquals(controls.map(({ hasMoved, interval }) => [hasMoved, interval]), [
    [true, { low: 2, high: 2 }],
  ]);
  const other = compareResults(old, fresh, 0.1, () => ({ contestant: "node" }));
  assertEquals(other.cases.map(({ verdict }) => verdict), ["regressed", "regressed", "regressed"]);
});

test("the interval of one spread side is that of its median, known by order statistics", () => {
  // The median of 9 draws from 1..9 is 1 in 0.1 % of cases and 2 or less in 3.0 %, so that its 2.5 %
  // point is 2; by symmetry the 97.5 % point is 8.
  const interval = bootstrapRatio([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 1, 1], { resamples: 20_000 });
  assertEquals(interval, { low: 2, high: 8 });
});

test("the interval of the inverse ratio is the inverse interval", () => {
  const [one, other] = [[10, 11, 12, 13, 15], [20, 21, 25, 26, 30]];
  const forth = bootstrapRatio(one, other, { resamples: 20_000 });
  const back = bootstrapRatio(other, one, { resamples: 20_000 });
  assertAlmostEquals(forth.low, 1 / back.high, 0.02);
  assertAlmostEquals(forth.high, 1 / back.low, 0.02);
});

test("the quartiles of known samples are those of type 7", () => {
  assertEquals(quartiles([4, 1, 3, 2]), { p25: 1.75, median: 2.5, p75: 3.25 });
  assertEquals(quartiles([3, 1, 5, 2, 4]), { p25: 2, median: 3, p75: 4 });
  // What R's quantile(c(7, 15, 36, 39, 40, 41)) prints.
  assertEquals(quartiles([41, 7, 40, 15, 39, 36]), { p25: 20.25, median: 37.5, p75: 39.75 });
});

const run = (...args: string[]) => startScript("scripts/compare.ts", args).ended;

const head = { schema: 1, machine: { cpu: "\u001b[2J", cores: 1, memoryGiB: 1, os: "" } };
const row = (contestant: string, ms: number) => makeRow({ contestant, samples: [ms, ms, ms] });
const held = { hand: 10, web: 20 };
/** What the command makes of two files: their rows, its flags, its exit code and what it says. */
const compared: readonly (readonly [object, object, string[], number, RegExp])[] = [
  [{ web: 10 }, { web: 12 }, [], 3, / 1\.20x {2}1\.20\.\.1\.20 {2}slower beyond the threshold$/m],
  [{ web: 10 }, { web: 12 }, ["--threshold=20"], 0, / slower$/m],
  [{ web: 12 }, { web: 10 }, [], 0, / faster$/m],
  [{ web: 10 }, { other: 10 }, [], 2, /^The files have no case in common\n$/],
  [
    held,
    { hand: 13, web: 30 },
    [],
    4,
    / verdict withheld\n[^]*the machine changed: verdict withheld/,
  ],
  [{ "we\u001b[31mb\u0007": 1 }, { "we\u001b[31mb\u0007": 1 }, [], 0, /we\\u001b\[31mb\\u0007/],
];

test("compare exits by its verdict, and prints no control character of a file", () =>
  inFolder(async (folder) => {
    const paths = ["old.json", "new.json"].map((name) => join(folder, name));
    for (const [old, fresh, flags, expected, said] of compared) {
      for (const [index, one] of [old, fresh].entries()) {
        const rows = Object.entries(one).map(([name, ms]) => row(name, ms));
        await writeFile(paths[index]!, JSON.stringify({ ...head, rows }));
      }
      const { code, stdout, stderr } = await run(...paths, ...flags);
      assertEquals([code, /[^\P{Cc}\n]/u.test(stdout + stderr)], [expected, false], stderr);
      assertMatch(stdout + stderr, said);
    }
  }));
