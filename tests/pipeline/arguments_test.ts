import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { batch, compose, fuse, map, pipeline } from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";
import { errorOf } from "../lib/error_of.ts";

type Run = (...args: readonly unknown[]) => Promise<unknown>;
const run = pipeline as unknown as Run;
const join = fuse as unknown as (...args: readonly unknown[]) => unknown;
const group = compose as unknown as (...args: readonly unknown[]) => unknown;

const locked = new ReadableStream();
locked.getReader();
const lockedPair = (side: "readable" | "writable") => {
  const pair = new TransformStream();
  if (side === "readable") pair.readable.getReader();
  else pair.writable.getWriter();
  return pair;
};
const { readable, writable } = new TransformStream();
const halves = "is a pair whose readable and writable are not web streams";
const need = "a transformer has start, transform, flush or cancel";

/** Not a stage, and what the message must say. */
const notStages: readonly (readonly [stage: unknown, advice: string])[] = [
  [(x: number) => x * 10, "is a function; wrap it, as in map(fn)"],
  [map, "is a function"],
  [[map((n: number) => n)], "is an array; group its stages by compose(stages)"],
  ["map", '"map"'],
  [null, "is null, not a stage"],
  [undefined, "undefined"],
  [5, "is 5, not a stage"],
  [new ReadableStream(), "is a ReadableStream; a pair of streams has a readable and a writable"],
  [new WritableStream(), "is a WritableStream"],
  [{ tranform() {} }, "tranform"],
  [Promise.resolve(map((n: number) => n)), "is a promise"],
  [{ a: 1, b: 2, c: 3, d: 4 }, `is an object with a, b, c; ${need}`],
  [new Map(), `is a Map; ${need}`],
  [{ readable, writable: undefined }, halves],
  [{ readable: null, writable }, halves],
  [{ readable: {}, writable }, halves],
  [{ readable, writable: { getReader() {} } }, halves],
  [{ readable: writable, writable: readable }, halves],
  ...["start", "transform", "flush", "cancel"].flatMap((method) =>
    [5, null, {}].map((value) => [{ [method]: value }, `${method} must be a function`] as const)
  ),
];

for (const [index, [stage, advice]] of notStages.entries()) {
  test(`what is no stage is named by its place, and neither end is touched: ${index}, ${advice}`, async () => {
    for (const position of [1, 2, 3]) {
      const stages = [map((n: number) => n), map((n: number) => n)];
      stages.splice(position - 1, 0, stage as typeof stages[0]);
      const source = new ReadableStream({ pull: (controller) => controller.enqueue(1) }, {
        highWaterMark: 0,
      });
      const sink = new WritableStream();
      const messages = [(await errorOf(run(source, ...stages, sink)) as [Error])[0].message];
      assertEquals([source.locked, sink.locked], [false, false]);
      // The last argument of fuse may be options that are left out.
      const makes = advice === halves ? [join] : [join, group];
      for (const make of stage === undefined && position === 3 ? [] : makes) {
        messages.push(assertThrows(() => make(...stages), TypeError).message);
      }
      for (const message of messages) {
        assertStringIncludes(message, `stage ${position}`);
        for (const part of advice.split(" must ")) assertStringIncludes(message, part);
      }
    }
    assertEquals([readable.locked, writable.locked], [false, false]);
  });
}

const noSource = "source must be a ReadableStream, an iterable or an async iterable, got";
const noSink = "sink must be a WritableStream or a function, and come after the stages, got";
const iterable = () => ({
  [Symbol.iterator](): never {
    throw new Error("it must not be begun");
  },
});

const refused: readonly (readonly [args: readonly unknown[], message: string])[] = [
  [[null, () => {}], `${noSource} null`],
  [[undefined, () => {}], `${noSource} undefined`],
  [[5, () => {}], `${noSource} 5`],
  [[{}, () => {}], `${noSource} an object`],
  [[10n, () => {}], "got 10n"],
  [[Promise.resolve([1]), () => {}], "a promise; await it"],
  [[function* () {}, () => {}], "a function; call it"],
  [[locked, () => {}], "source is locked"],
  [[new URL("https://example.com/"), () => {}], "got a URL; pass await fetch(url)"],
  [["ab", () => {}], "source must not be a text, whose characters would be the chunks; use [text]"],
  [[iterable()], "sink must be a WritableStream or a function"],
  [[iterable(), {}, {}], "sink must be a WritableStream or a function"],
  [[iterable(), async function* () {}], "sink must not be an async generator function"],
  [[iterable(), function* () {}], "sink must not be a generator function"],
  [[iterable(), function* () {}, () => {}], "stage 1 is a generator function; make it an async"],
  [[iterable(), null], `${noSink} null`],
  [[iterable(), 5], `${noSink} 5`],
  [[iterable(), []], `${noSink} an array`],
  [[iterable(), 10n], "got 10n"],
  [[iterable(), Promise.resolve(() => {})], "a promise"],
  [
    [iterable(), new Writable()],
    'a Node stream; use fromNode(writable, { as: "writable" }) from @hosepipe/streams/node',
  ],
  [[iterable(), lockedPair("readable"), () => {}], "stage 1 is a pair"],
  [[iterable(), lockedPair("writable"), () => {}], "stage 1 is a pair"],
  [[iterable(), () => {}, { signals: 1 }], 'unknown option "signals"; did you mean "signal"?'],
  [[iterable(), () => {}, { signal: 1 }], "signal must be an AbortSignal"],
  [[iterable(), () => {}, { signl: undefined }], "signl"],
  [[iterable(), () => {}, { preventClose: 1 }], "preventClose must be"],
  [[iterable(), () => {}, { preventAbort: "yes" }], "preventAbort must be"],
  [[iterable(), () => {}, { preventCancel: null }], "preventCancel must be"],
  [[iterable(), () => {}, { runName: 1 }], "runName must be a text, got 1"],
  [[iterable(), () => {}, { runName: "" }], 'runName must be a text, got ""'],
  [[iterable(), () => {}, { runName: null }], "runName must be a text, got null"],
];

test("what pipeline cannot use is named, before anything is begun", async () => {
  for (const [args, message] of refused) {
    const [error] = await errorOf(run(...args)) as [Error];
    assertInstanceOf(error, TypeError, message);
    assertStringIncludes(error.message, "Cannot run pipeline: ");
    assertStringIncludes(error.message, message);
  }
});

test("a Node readable is a source, and {} a stage that changes nothing", async () => {
  const written: unknown[] = [];
  const write = (chunk: unknown) => void written.push(chunk);
  await run(Readable.from(["a", "b"]), {}, Object.create(null), write);
  assertEquals(written, ["a", "b"]);
});

test("batch fills while the sink is busy, whatever maxWaitMs says", async () => {
  await using time = virtualTime();
  for (const way of ["fuse", "pipeline"] as const) {
    const sizes: number[] = [];
    let given = 0;
    const source = async function* () {
      for (; given < 400; given++) {
        // A timer that was left from the batch before would fire in the middle of this one.
        if (given % 50 === 25) await new Promise((resolve) => setTimeout(resolve, 1));
        yield given;
      }
    };
    const sink = new WritableStream<number[]>({
      async write(items) {
        sizes.push(items.length);
        // Busy for longer than a batch may wait.
        await new Promise((resolve) => setTimeout(resolve, 7));
      },
    });
    const stage = batch<number>(100, { maxWaitMs: 3 });
    const run = way === "pipeline"
      ? pipeline(source(), stage, sink)
      : ReadableStream.from(source()).pipeThrough(fuse(stage)).pipeTo(sink);
    await time.run(run as Promise<unknown>);
    assertEquals(sizes.reduce((sum, size) => sum + size, 0), 400);
    // The first may leave at once; while it is written, the others fill.
    const full = sizes.slice(1, -2);
    assertEquals(full.filter((size) => size === 100).length, full.length, `${way}: ${sizes}`);
  }
});
