import { test } from "node:test";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { lines, pipeline } from "@hosepipe/streams";
import { chaos, type ChaosOptions, virtualTime } from "@hosepipe/streams/testing";
import fastCheck from "fast-check";
import { startScript } from "../lib/start_script.ts";
import { plantedRaces, rightPipelines } from "./_planted_races.ts";

test("chaos() takes a source that was cancelled while its next chunk was to fail for cancelled", async () => {
  const { failed } = await chaos(async ({ source, sink, signal }) => {
    const bytes = source([new TextEncoder().encode("ä\r\n€\nz")]);
    await pipeline(bytes, lines(), sink<string>(() => {}), { signal });
  }, { schedule: [0, 0, 0, 0, 9, 7] });
  assertEquals(failed, undefined);
});

for (const { name, problem, steps, run } of plantedRaces) {
  test(`chaos() finds ${name}, small, and runs it again`, async () => {
    assertEquals((await chaos(run, { schedule: [] })).failed, undefined, "nothing disturbs it");
    const result = await chaos(run, { fastCheck, runs: 1_000, seed: 7 });
    const { failed } = result;
    if (failed === undefined) throw new Error("nothing was found");
    assert(problem.test(failed.problem), failed.problem);
    assert(failed.steps.length <= steps, failed.steps.join("\n"));
    assert(result.runs <= 1_000);
    for (let time = 0; time < 2; time++) {
      const again = await chaos(run, { schedule: failed.schedule });
      assertEquals(again.failed?.problem, failed.problem);
      assertEquals(again.failed?.steps, failed.steps);
      assertEquals(again.failed?.schedule, failed.schedule);
    }
  });
}

test("chaos() finds two calls of which the second is waited for after the first", async () => {
  const { stdout } = await startScript("tests/testing/_unhandled_program.ts", ["race"]).ended;
  const { problem, steps } = JSON.parse(stdout);
  assertStringIncludes(problem, "was handled nowhere");
  assert(steps.length <= 2, steps.join("\n"));
});

for (const { name, run, faults } of rightPipelines) {
  test(`chaos() finds nothing wrong with ${name}`, async () => {
    const result = await chaos(run, { fastCheck, runs: 150, seed: 11, faults });
    assertEquals(result.failed, undefined);
    assertEquals([result.runs, result.seed], [150, 11]);
    result.throwIfFailed();
  });
}

test("chaos() says what was wrong, each disturbance, the seed, and a script that runs", async () => {
  const { run } = plantedRaces[4]!;
  const result = await chaos(run, { fastCheck, runs: 500, seed: 3 });
  const error = assertThrows(() => result.throwIfFailed(), Error, "The pipeline fails under chaos");
  assertStringIncludes(error.message, "runs with seed 3: the sink failed with");
  assertStringIncludes(
    error.message,
    "To run it again:\n  const result = await chaos(fn, { schedule: [",
  );
  const script = new Function(
    "chaos",
    "fn",
    `return (async () => {\n${result.failed!.script}\n})()`,
  );
  const again = await assertRejects<Error>(
    () => script(chaos, run),
    Error,
    "under chaos: the sink",
  );
  assertStringIncludes(again.message, result.failed!.steps[0]!);
});

test("chaos() gives the same failure for the same seed", async () => {
  const { run } = plantedRaces[0]!;
  const options = { fastCheck, runs: 300, seed: 42 };
  const [one, other] = [await chaos(run, options), await chaos(run, options)];
  assertEquals(one.runs, other.runs);
  assertEquals(one.failed!.steps, other.failed!.steps);
  assertEquals(one.failed!.script, other.failed!.script);
});

test("chaos() reports what fails without any disturbance, thrown at once or later, undefined too", async () => {
  for (const thrown of [new Error("mine"), undefined]) {
    const runs = [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ];
    for (const run of runs) {
      const { failed, seed } = await chaos(run, { fastCheck });
      assertEquals([failed?.schedule, failed?.error, seed], [[], thrown, undefined]);
      assertStringIncludes(failed!.problem, "it failed with");
    }
  }
});

test("chaos() injects only the faults it is asked for", async () => {
  const seen = new Set<unknown>();
  await chaos(async ({ source, sink, wrap, signal }) => {
    try {
      for await (const chunk of source([1, 2, 3])) await wrap((n: number) => n)(chunk);
      const writer = sink().getWriter();
      await writer.write(1);
      await writer.close();
    } catch (reason) {
      seen.add(reason instanceof Error ? reason.message : reason);
    }
    if (signal.aborted) seen.add("aborted");
  }, { fastCheck, runs: 200, seed: 5, faults: [] });
  assertEquals(seen, new Set());
});

test("chaos() refuses wrong options, and a time that is virtual already", async () => {
  const run = () => {};
  const wrong: [options: ChaosOptions, type: typeof TypeError | typeof RangeError, text: string][] =
    [
      [
        {},
        TypeError,
        "fastCheck must be the module fast-check, as in chaos(fn, { fastCheck }), got undefined",
      ],
      [{ fastCheck: {} as never }, TypeError, "got one without array"],
      [{ fastCheck, runs: 0 }, RangeError, "runs must be a positive integer, got 0"],
      [{ fastCheck, runs: "9" as never }, TypeError, "runs must be a positive integer, got"],
      [{ fastCheck, seed: 1.5 }, RangeError, "seed must be an integer, got 1.5"],
      [{ fastCheck, seed: null as never }, TypeError, "seed must be an integer, got null"],
      [{ schedule: [10] }, RangeError, "a number of schedule must be at most 9, got 10"],
      [{ schedule: [-1] }, RangeError, "a number of schedule must be a non-negative integer"],
      [{ schedule: "0" as never }, TypeError, "schedule must be an array"],
      [
        { fastCheck, faults: ["crash" as never] },
        TypeError,
        "faults must be of abort, call, sink, source",
      ],
      [{ fastCheck, io: 1 as never }, TypeError, "io must be a boolean, got 1"],
      [{ fastCheck, run: 5 } as never, TypeError, 'did you mean "runs"?'],
    ];
  for (const [options, type, text] of wrong) {
    const error = await assertRejects(() => chaos(run, options), type, "Cannot run chaos: ");
    assertStringIncludes(error.message, text);
  }
  await assertRejects(
    () => chaos(5 as never),
    TypeError,
    "Cannot run chaos: fn must be a function",
  );
  const time = virtualTime();
  try {
    await assertRejects(() => chaos(run, { fastCheck }), Error, "it is virtual already");
  } finally {
    time.restore();
  }
  assertEquals((await chaos(run, { fastCheck, runs: 3 })).failed, undefined, "nothing was left");
});
