import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { rerunFailed } from "../../../scripts/test/rerun_failed.ts";
import type { TestFileResult } from "../../../scripts/test/run_test_file.ts";
import type { Outcome, TestJob } from "../../../scripts/test/test_job.ts";
import { sumOf } from "../../../scripts/test/test_job.ts";

const runtime = { ...currentRuntime(), executable: "none", arguments: [], origin: "a test" };

function resultOf(passed: number, failed: readonly string[], skipped: readonly string[] = []) {
  const failures = failed.map((name) => ({ name, detail: "" }));
  return { passed, skipped, failures, elapsedMs: 1 } satisfies TestFileResult;
}

function outcomesOf(results: Readonly<Record<string, TestFileResult>>): Outcome[] {
  return Object.entries(results).map(([file, result]) => ({
    job: { runtime, label: "deno", files: [file], doc: false },
    result,
  }));
}

const nameOf = ({ job }: { job: TestJob }) => job.files[0];

test("rerunFailed runs only what failed, one after the other, and counts it once", async () => {
  const outcomes = outcomesOf({
    good: resultOf(5, [], ["left out"]),
    flaky: resultOf(2, ["one"], ["other"]),
    bad: resultOf(1, ["two", "three"]),
  });
  const runs: unknown[] = [];
  let running = 0;
  const settled = await rerunFailed(outcomes, async (job) => {
    runs.push(job.files[0]);
    assertEquals(++running, 1);
    await Promise.resolve();
    running--;
    return job.files[0] === "flaky" ? resultOf(3, [], ["other"]) : resultOf(2, ["two"]);
  });
  assertEquals(runs, ["flaky", "bad"]);
  assertEquals(settled.outcomes.map(nameOf), ["good", "flaky", "bad"]);
  // What fails twice counts as it did first.
  assertEquals(sumOf(settled.outcomes), { passed: 9, failed: 2, skipped: 2 });
  assertEquals(settled.replaced.map(nameOf), ["flaky"]);
  assert(settled.replaced[0] === outcomes[1]);
});

test("rerunFailed does not take a second run that is not whole", async () => {
  const outcomes = outcomesOf({
    fewer: resultOf(4, ["one"]),
    skipped: resultOf(4, ["one"]),
    none: resultOf(0, ["the file was killed"]),
    brokenOff: resultOf(4, ["one"]),
  });
  const seconds: Record<string, TestFileResult | undefined> = {
    fewer: resultOf(3, []),
    skipped: resultOf(4, [], ["one"]),
    none: resultOf(0, []),
  };
  const settled = await rerunFailed(outcomes, ({ files }) => Promise.resolve(seconds[files[0]!]));
  assertEquals(settled, { outcomes, replaced: [] });
});

test("rerunFailed does nothing where nothing failed, or more than an accident explains", async () => {
  const many = outcomesOf(
    Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`${index}`, resultOf(1, ["a"])])),
  );
  let runs = 0;
  const run = () => {
    runs++;
    return Promise.resolve(resultOf(2, []));
  };
  assertEquals(await rerunFailed(many, run), { outcomes: many, replaced: [] });
  const good = outcomesOf({ good: resultOf(1, []) });
  assertEquals(await rerunFailed(good, run), { outcomes: good, replaced: [] });
  assertEquals(runs, 0);
  assertEquals((await rerunFailed(many.slice(1), run)).replaced.length, 20);
  assertEquals(runs, 20);
});

test("rerunFailed takes no file's passing alone for what files do to each other", async () => {
  const failures = [{ name: "2 files in one process", detail: "", isOfGroup: true }];
  const outcomes = outcomesOf({ last: { ...resultOf(4, []), failures } });
  const settled = await rerunFailed(outcomes, () => Promise.resolve(resultOf(4, [])));
  assertEquals([sumOf(settled.outcomes).failed, settled.replaced], [1, []]);
});
