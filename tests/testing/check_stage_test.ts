import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { checkStage } from "@hosepipe/streams/testing";
import { startScript } from "../lib/start_script.ts";
import { faultyStages, rightStages } from "./_planted_stages.ts";
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
