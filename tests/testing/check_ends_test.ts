import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  type CheckResult,
  checkSink,
  type CheckSinkOptions,
  checkSource,
  type CheckSourceOptions,
  checkStage,
  type CheckStageOptions,
} from "@hosepipe/streams/testing";
import { faultySinks, rightSinks } from "./_planted_sinks.ts";
import { faultySources, rightSources } from "./_planted_sources.ts";
import { testPlanted } from "./_test_planted.ts";

testPlanted({
  check: checkSource,
  kind: "source",
  faulty: faultySources,
  right: rightSources,
  held: 8,
});
testPlanted({
  check: checkSink,
  kind: "sink",
  faulty: faultySinks,
  right: rightSinks,
  held: 7,
});

const checkTexts = (options?: CheckSinkOptions) =>
  checkSink(({ underlying }) => ({
    write: (chunk: unknown) => underlying.write(`${chunk}`),
    close: () => underlying.close(),
    abort: (reason: unknown) => underlying.abort(reason),
  }), options);

test("a check of a source or sink names the law and the smallest program, and throws them", async () => {
  const source = await checkSource(() => [1, 2, 2], { expected: [1, 2] });
  const sink = await checkTexts();
  assertEquals([source.failed[0], sink.failed[0]], [
    { law: "output", program: "for await", problem: "it gave |1|2|2|, not |1|2|" },
    {
      law: "output",
      program: "writer, the source gives 1 chunk, then ends",
      problem: 'it wrote |"1"|, not |1|',
    },
  ]);
  assertEquals(source.skipped.laziness, "it does not use `underlying`");
  assertEquals(sink.skipped, { ownError: "makeFailing is not given" });
  assertThrows(() => source.throwIfFailed(), Error, "The source breaks");
  assertThrows(() => sink.throwIfFailed(), Error, "The sink breaks");
});

const asText = (actual: readonly unknown[], expected: readonly unknown[]) =>
  actual.join() === expected.join();

test("a check of any kind compares with isSame, and leaves no virtual time behind", async () => {
  const look = () => [Object.getOwnPropertyDescriptor(globalThis, "setTimeout"), Date];
  const before = look();
  const stage = () => ({
    transform: (chunk: unknown, to: TransformStreamDefaultController) => to.enqueue(`${chunk}`),
  });
  const results = [
    await checkStage(stage, { expected: (chunks) => chunks, isSame: asText }),
    await checkSource(() => [1], { expected: ["1"], isSame: asText }),
    await checkTexts({ isSame: asText }),
  ];
  for (const { failed } of results) assertEquals(failed, []);
  assertEquals(look(), before);
});

type Options = CheckStageOptions & CheckSourceOptions & CheckSinkOptions;
const checks: readonly [
  kind: string,
  check: (make: never, options?: Options) => Promise<CheckResult>,
  make: unknown,
  ahead: string,
  need: string,
][] = [
  ["Stage", checkStage, () => ({}), "readAhead", "a transformer, a pair or a function"],
  ["Source", checkSource, () => [], "readAhead", "a stream, an underlying source or an iterable"],
  ["Sink", checkSink, () => () => {}, "writeAhead", "a stream, an underlying sink or a function"],
];

for (const [kind, check, make, ahead, need] of checks) {
  test(`check${kind}() refuses unknown options, laws without a reason and what is none`, async () => {
    const action = `Cannot check ${kind.toLowerCase()}: `;
    await assertRejects(
      () => check({} as never),
      TypeError,
      `${action}make${kind} must be a function, got an object`,
    );
    const none = `${kind.toLowerCase()} must be ${need}, got 5`;
    await assertRejects(() => check((() => 5) as never), TypeError, none);
    for (
      const [options, message, type = TypeError] of [
        [{ chunk: [] }, 'unknown option "chunk"'],
        [{ chunks: 5 }, `${action}chunks must be an array or a function that gives one, got 5`],
        [{ expected: 5 }, "expected must be an array or a function, got 5"],
        [{ isSame: 5 }, "isSame must be a function, got 5"],
        [{ makeFailing: 5 }, "makeFailing must be a function, got 5"],
        [{ io: 1 }, "io must be a boolean, got 1"],
        [{ [ahead]: -1 }, `${ahead} must be a non-negative integer`, RangeError],
        [{ skip: { lazy: "no" } }, 'unknown law "lazy"; the laws are ends, output'],
        [{ skip: { leaks: "" } }, "skip.leaks must be a reason in words"],
      ] as const
    ) await assertRejects(() => check(make as never, options as never), type, message);
  });
}

test("checkSink() refuses what is no function that tells what was written", async () => {
  const written = 5 as never;
  await assertRejects(
    () => checkSink(() => () => {}, { written }),
    TypeError,
    "written must be a function, got 5",
  );
});
