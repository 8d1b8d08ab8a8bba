import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { checkSink } from "@hosepipe/streams/testing";
import { faultySinks, rightSinks } from "./_planted_sinks.ts";
import { testPlanted } from "./_test_planted.ts";

testPlanted({
  check: checkSink,
  kind: "sink",
  faulty: faultySinks,
  right: rightSinks,
  least: { faulty: 12, right: 8, held: 7 },
});

test("checkSink() names the law and the smallest program, and throws them", async () => {
  const result = await checkSink(({ underlying }) => ({
    write: (chunk: unknown) => underlying.write(`${chunk}`),
    close: () => underlying.close(),
    abort: (reason: unknown) => underlying.abort(reason),
  }));
  assertEquals(result.failed[0], {
    law: "output",
    program: "writer, the source gives 1 chunk, then ends",
    problem: '|"1"| was written, not |1|',
  });
  assertEquals(result.skipped, { ownError: "makeFailing is not given" });
  assertThrows(() => result.throwIfFailed(), Error, "The sink breaks");
});

test("checkSink() compares with isSame", async () => {
  const { failed } = await checkSink(
    ({ underlying }) => ({
      write: (chunk: unknown) => underlying.write(`${chunk}`),
      close: () => underlying.close(),
      abort: (reason: unknown) => underlying.abort(reason),
    }),
    { isSame: (actual, expected) => actual.join() === expected.join() },
  );
  assertEquals(failed, []);
});

test("checkSink() leaves no virtual time behind", async () => {
  const before = [Object.getOwnPropertyDescriptor(globalThis, "setTimeout"), Date];
  await checkSink(() => () => {});
  assertEquals([Object.getOwnPropertyDescriptor(globalThis, "setTimeout"), Date], before);
});

test("checkSink() refuses unknown options, laws without a reason and what is no sink", async () => {
  // deno-lint-ignore no-explicit-any -- wrong on purpose
  const check = (make: any, options?: any) => () => checkSink(make, options);
  const make = () => () => {};
  const cases: [() => Promise<unknown>, string, (new (message: string) => Error)?][] = [
    [check({}), "Cannot check sink: makeSink must be a function, got an object"],
    [check(() => 5), "sink must be a stream, an underlying sink or a function, got 5"],
    [check(make, { chunk: [] }), 'unknown option "chunk"'],
    [check(make, { chunks: 5 }), "Cannot check sink: chunks must be an array or a function"],
    [check(make, { expected: 5 }), "expected must be an array or a function, got 5"],
    [check(make, { written: 5 }), "written must be a function, got 5"],
    [check(make, { makeFailing: 5 }), "makeFailing must be a function, got 5"],
    [check(make, { io: 1 }), "io must be a boolean, got 1"],
    [check(make, { writeAhead: -1 }), "writeAhead must be a non-negative integer", RangeError],
    [check(make, { skip: { lazy: "no" } }), 'unknown law "lazy"; the laws are ends, output'],
    [check(make, { skip: { backpressure: "" } }), "skip.backpressure must be a reason in words"],
  ];
  for (const [run, message, kind = TypeError] of cases) await assertRejects(run, kind, message);
});
