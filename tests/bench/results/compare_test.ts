import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { compareResults, type Control } from "../../../bench/results/compare.ts";
import { renderComparison } from "../../../bench/tables/render_comparison.ts";
import type { MeasuredRow, ResultFile, Row } from "../../../bench/results/result.ts";
import { seededRandom } from "../../../scenarios/concurrency/seeded_random.ts";
import { makeRow } from "./_make_row.ts";

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

test("the ratio is new over old", () => {
  const { ratio, interval } = compareOne({ samples: [10, 10, 10] }, { samples: [25, 25, 25] });
  assertEquals([ratio, interval], [2.5, { low: 2.5, high: 2.5 }]);
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

test("a case that fails now has regressed; one that failed before is no comparison", () => {
  const old = makeResult([makeRow(), makeRow({ contestant: "both" }), failed("node", "no")]);
  const fresh = makeResult([
    failed("hand", "timed out"),
    failed("both", "gone"),
    makeRow({
      contestant: "node",
    }),
  ]);
  const { cases } = compareResults(
    { ...old, rows: [...old.rows.filter((row) => row.contestant !== "both"), failed("both", "x")] },
    fresh,
    0.1,
  );
  assertEquals(cases.map(({ name, verdict, note }) => [name.split(": ")[1], verdict, note]), [
    ["hand/node", "regressed", "failed: timed out"],
    ["node/node", "unclear", "failed in the old file"],
    ["both/node", "unclear", "failed in both"],
  ]);
});

test("cases are matched by workload, contestant, runtime and parameters; noop is left out", () => {
  const old = makeResult([
    makeRow({ params: { passes: 0, hwm: 1 } }),
    makeRow({ params: { passes: 9 } }),
    makeRow({ contestant: "noop", params: {} }),
  ]);
  const fresh = makeResult([
    makeRow({ contestant: "noop", params: {} }),
    makeRow({ runtime: "deno", params: { passes: 9 } }),
    makeRow({ params: { hwm: 1, passes: 0 } }),
  ]);
  const { cases, onlyOld, onlyNew } = compareResults(old, fresh, 0.1);
  assertEquals(cases.map(({ name }) => name), ["copy hwm=1 passes=0: hand/node"]);
  assertEquals(onlyOld, ["copy passes=9: hand/node"]);
  assertEquals(onlyNew, ["copy passes=9: hand/deno"]);
});

test("the table has the worst first, the interval, the mark, and what to be careful about", () => {
  const old = makeResult([
    makeRow({ contestant: "fuse", samples: [10, 10, 10] }),
    makeRow({ contestant: "web", samples: [10, 10, 10] }),
    makeRow({ contestant: "node", samples: [10, 10, 10] }),
    makeRow({ contestant: "gone" }),
  ]);
  const fresh = makeResult([
    makeRow({ contestant: "fuse", samples: [5, 5, 5], runtimeVersion: "27.0.0" }),
    makeRow({ contestant: "web", samples: [12, 12, 12], runtimeVersion: "27.0.0" }),
    { ...failed("node", "timed out"), runtimeVersion: "27.0.0" },
  ], { profile: "quick", machine: { cpu: "Abacus", cores: 4, memoryGiB: 8, os: "Linux 6 x64" } });
  const text = renderComparison(compareResults(old, fresh, 0.1), old, fresh, 0.1);
  assertEquals(
    text,
    [
      "copy                    old      new  ratio        95 %",
      "passes=0 web/node   10.0 ms  12.0 ms  1.20x  1.20..1.20  slower beyond the threshold",
      "passes=0 fuse/node  10.0 ms  5.00 ms  0.50x  0.50..0.50  faster",
      "passes=0 node/node  10.0 ms   failed      -           -  slower beyond the threshold (failed: timed out)",
      "",
      "not the same machine: Abacus, 2 cores, Linux 6 x64; now Abacus, 4 cores, Linux 6 x64",
      "not the same profile: default; now quick",
      "not the same node: 26.0.0; now 27.0.0",
      "the machine was not checked for copy: its control hand is not in both files",
      "1 faster, 0 slower, 2 slower beyond the threshold of 10 %, 0 unclear, 1 only in the old file",
    ].join("\n"),
  );
});

test("files without a common case compare to nothing", () => {
  const old = makeResult([makeRow()]);
  const fresh = makeResult([makeRow({ workload: "other" })]);
  const text = renderComparison(compareResults(old, fresh, 0.1), old, fresh, 0.1);
  assertStringIncludes(text, "0 unclear, 1 only in the old file, 1 only in the new file");
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

test("what no control speaks for is said, with the reason", () => {
  const rows = (samples: number[]) => [
    makeRow({ params: { passes: 0 } }),
    makeRow({ params: { passes: 9 }, samples }),
    makeRow({ contestant: "web", params: { passes: 9 } }),
    makeRow({ contestant: "web", params: { passes: 0 } }),
  ];
  const reason = (samples: number[], control?: Control) => {
    const result = makeResult(rows(samples));
    const controlOf = control === undefined ? undefined : () => control;
    return compareResults(result, result, 0.1, controlOf).unchecked.map(({ reason }) => reason);
  };
  assertEquals(reason([5, 5, 5]), []);
  assertEquals(reason([5]), [
    "in 1 of 2 groups nothing can be said of its control hand: fewer than 3 samples",
  ]);
  assertEquals(reason([5], { contestant: "node" }), ["its control node is not in both files"]);
  assertEquals(reason([5], { whyNone: "its time is given" }), ["its time is given"]);
  const result = makeResult(rows([5]));
  const comparison = compareResults(result, result, 0.1, () => ({ whyNone: "it has none" }));
  const text = renderComparison(comparison, result, result, 0.1);
  assertStringIncludes(text, "\nthe machine was not checked for copy: it has none\n");
});
