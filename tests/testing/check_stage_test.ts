import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  batch,
  compose,
  drop,
  expand,
  flatMap,
  fuse,
  groupBy,
  map,
  parallel,
  take,
  takeUntil,
  takeWhile,
} from "@hosepipe/streams";
import { type CheckedStage, checkStage } from "@hosepipe/streams/testing";
import { operators } from "../lib/operators.ts";
import { startScript } from "../lib/start_script.ts";
import { faultyStages, rightStages } from "./_planted_stages.ts";
import { stagesOfOthers } from "./_stages_of_others.ts";
import { testPlanted } from "./_test_planted.ts";

testPlanted({
  check: checkStage,
  kind: "stage",
  faulty: faultyStages,
  right: rightStages,
  least: { faulty: 30, right: 15, held: 12 },
});

test("checkStage() finds that a stage leaves a rejection unhandled: unhandled", async () => {
  const { stdout, stderr } = await startScript("tests/testing/_unhandled_program.ts", []).ended;
  assertEquals(stderr, "");
  const [broken, ...others] = JSON.parse(stdout);
  assertEquals([broken.law, others], ["unhandled", []]);
});

// What is ours, as it is: nothing is said but the chunks, where it takes no numbers.
for (const { name, make, makeStateful, input } of operators) {
  test(`checkStage() finds nothing wrong with ${name}, without options`, async () => {
    const isOfNumbers = input(1) === 1;
    const chunks = Array.from({ length: 8 }, (_, n) => input(n + 1));
    assertEquals((await checkStage(make, isOfNumbers ? {} : { chunks })).failed, []);
    if (makeStateful === undefined) return;
    const texts = Array.from({ length: 8 }, (_, n) => `a${n}${n % 2 ? "\n" : ""}`);
    assertEquals((await checkStage(makeStateful, { chunks: texts })).failed, []);
  });
}

const wait = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 5);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
const slowly = async function* (n: number, _: number, { signal }: { signal: AbortSignal }) {
  yield n;
  await wait(signal);
  yield n;
};
const passed = (n: number) => n;
/** Stages that end early, and others whose defaults matter. */
const ours: Record<string, () => CheckedStage> = {
  "take(0)": () => take(0),
  "take(1)": () => take(1),
  "take(2)": () => take(2),
  "take(8)": () => take(8),
  "takeWhile, some": () => takeWhile((n: number) => n < 4),
  "takeWhile, none": () => takeWhile(() => false),
  "takeUntil, at once": () => takeUntil(Promise.resolve()),
  "a generator that ends": () =>
    async function* (source: AsyncIterable<unknown>) {
      for await (const chunk of source) return void (yield chunk);
    },
  "a generator of nothing": () => async function* () {},
  "terminate in start": () => ({ start: (controller) => controller.terminate() }),
  "take in a composition": () => compose(map(passed), take<number>(2), map(passed)),
  "take in a fused chain": () => fuse(map(passed), take<number>(3)),
  "take in groups": () => groupBy(() => 0, () => take(2)),
  "a fused chain": () => fuse(map(passed), map(passed), map(passed)),
  "flatMap to many": () => flatMap((n: number) => [n, n, n]),
  "flatMap to many, slowly": () => flatMap(slowly),
  "flatMap to many, slowly, several at a time": () => flatMap(slowly, { concurrency: 3 }),
  "expand to many": () => expand((n: number) => n > 4 ? [] : [n + 1, n + 2]),
  "batch by time": () => batch(3, { maxWaitMs: 10 }),
  "drop all": () => drop(100),
  "parallel, slowly": () =>
    parallel(async (n: number, _, { signal }) => {
      await wait(signal);
      return n;
    }, { concurrency: 3 }),
};
for (const [name, make] of Object.entries(ours)) {
  test(`checkStage() finds nothing wrong with ${name}, without options`, async () => {
    assertEquals((await checkStage(make)).failed, []);
  });
}

for (const { name, make, chunks, options, breaks } of await stagesOfOthers()) {
  test(`checkStage() finds of ${name} what is known of it, without options`, async () => {
    const { failed } = await checkStage(make, { chunks, ...options });
    const unknown = failed.filter(({ law }) => !breaks.includes(law));
    assertEquals(unknown, []);
  });
}

const forgetful = () => {
  let count = 0;
  return {
    transform(chunk: unknown, controller: TransformStreamDefaultController) {
      if (++count !== 2) controller.enqueue(chunk);
    },
  };
};

test("checkStage() names the law and the smallest program, and throws them", async () => {
  const skip = { reuse: "it counts" };
  const result = await checkStage(forgetful, { expected: (chunks) => chunks, skip });
  assertEquals(result.failed[0], {
    law: "output",
    program: "native, the source gives 2 chunks, then ends",
    problem: "it gave |1|, not |1|2|",
  });
  assertEquals(result.skipped.reuse, "it counts");
  assertThrows(() => result.throwIfFailed(), Error, "output: it gave |1|, not |1|2|");
});

test("checkStage() compares with isSame", async () => {
  const { failed } = await checkStage(
    () => ({ transform: (chunk, to) => to.enqueue(`${chunk}`) }),
    {
      expected: (chunks) => chunks,
      isSame: (actual, expected) => actual.join() === expected.join(),
    },
  );
  assertEquals(failed, []);
});

test("checkStage() leaves no virtual time and no listener of rejections behind", async () => {
  const before = [Object.getOwnPropertyDescriptor(globalThis, "setTimeout"), Date];
  await checkStage(() => ({}));
  await checkStage(forgetful);
  assertEquals([Object.getOwnPropertyDescriptor(globalThis, "setTimeout"), Date], before);
});

test("checkStage() finds the same each time", async () => {
  const [one, two] = [await checkStage(forgetful), await checkStage(forgetful)];
  assertEquals([one.held, one.failed], [two.held, two.failed]);
});

test("checkStage() refuses unknown options, laws without a reason and what is no stage", async () => {
  // deno-lint-ignore no-explicit-any -- wrong on purpose
  const check = (make: any, options?: any) => () => checkStage(make, options);
  const make = () => ({});
  const cases: [() => Promise<unknown>, string, (new (message: string) => Error)?][] = [
    [check({}), "Cannot check stage: makeStage must be a function, got an object"],
    [check(() => 5), "stage must be a transformer, a pair or a function, got 5"],
    [check(make, { chunk: [] }), 'unknown option "chunk"'],
    [check(make, { chunks: 5 }), "chunks must be an array or a function that gives one, got 5"],
    [check(make, { expected: 5 }), "expected must be an array or a function, got 5"],
    [check(make, { isSame: 5 }), "isSame must be a function, got 5"],
    [check(make, { makeFailing: 5 }), "makeFailing must be a function, got 5"],
    [check(make, { io: 1 }), "io must be a boolean, got 1"],
    [check(make, { readAhead: -1 }), "readAhead must be a non-negative integer", RangeError],
    [check(make, { skip: { lazy: "no" } }), 'unknown law "lazy"; the laws are ends, output'],
    [check(make, { skip: { laziness: "" } }), "skip.laziness must be a reason in words"],
  ];
  for (const [run, message, kind = TypeError] of cases) await assertRejects(run, kind, message);
});
