import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { checkSource } from "@hosepipe/streams/testing";
import { faultySources, rightSources } from "./_planted_sources.ts";
import { testPlanted } from "./_test_planted.ts";

testPlanted({
  check: checkSource,
  kind: "source",
  faulty: faultySources,
  right: rightSources,
  least: { faulty: 12, right: 8, held: 8 },
});

test("checkSource() names the law and the smallest program, and throws them", async () => {
  const result = await checkSource(() => [1, 2, 2], { expected: [1, 2] });
  assertEquals(result.failed[0], {
    law: "output",
    program: "for await",
    problem: "it gave |1|2|2|, not |1|2|",
  });
  assertEquals(result.skipped.laziness, "it does not use `underlying`");
  assertThrows(() => result.throwIfFailed(), Error, "The source breaks");
});

test("checkSource() leaves no virtual time behind", async () => {
  const before = [Object.getOwnPropertyDescriptor(globalThis, "setTimeout"), Date];
  await checkSource(() => [1]);
  assertEquals([Object.getOwnPropertyDescriptor(globalThis, "setTimeout"), Date], before);
});

test("checkSource() refuses unknown options, laws without a reason and what is no source", async () => {
  // deno-lint-ignore no-explicit-any -- wrong on purpose
  const check = (make: any, options?: any) => () => checkSource(make, options);
  const make = () => [];
  const cases: [() => Promise<unknown>, string, (new (message: string) => Error)?][] = [
    [check({}), "Cannot check source: makeSource must be a function, got an object"],
    [check(() => 5), "source must be a stream, an underlying source or an iterable, got 5"],
    [check(make, { chunk: [] }), 'unknown option "chunk"'],
    [check(make, { chunks: 5 }), "Cannot check source: chunks must be an array or a function"],
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
