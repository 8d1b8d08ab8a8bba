import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  filter,
  flatMap,
  fuse,
  map,
  pipeline,
  type PipelineOptions,
  tap,
  zip,
} from "@hosepipe/streams";
import { describeFailure, failureOf, pendingRuns } from "@hosepipe/streams/inspect";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";
import { from } from "../lib/from.ts";
import { errorOf } from "../lib/error_of.ts";
import { range } from "../lib/range.ts";
import { turns, turnsDuring } from "../lib/turns.ts";

test("failures and pending runs go by the name of the run", async () => {
  const boom = new Error("boom");
  const { promise, reject } = Promise.withResolvers<void>();
  const run = pipeline([1], map((n) => n), () => promise, { runName: "import" });
  await Promise.resolve();
  assertEquals(pendingRuns().map(({ pipeline }) => pipeline), ["import"]);
  reject(boom);
  await run.catch(() => {});
  assertEquals(failureOf(boom)!.pipeline, "import");
  assertEquals(describeFailure(boom).split("\n")[0], "import failed: Error: boom");
});

test("the event loop has its turn while stages wait for what is there", async () => {
  const wait = () => map((n: number) => Promise.resolve(n));
  const turns = await turnsDuring(() => pipeline(range(400_000), wait(), wait(), () => {}));
  assert(turns >= 2, `${turns} turns`);
});

/** A source that counts how often it was asked. */
function askedSource() {
  const source = {
    asked: 0,
    [Symbol.iterator]: () => ({ next: () => ({ done: false, value: ++source.asked }) }),
  };
  return source;
}

test("behind a stage that waits no chunk is read while the sink writes, or after a signal", async () => {
  const busy = askedSource();
  const stop = new AbortController();
  const hangs = () => new Promise<void>(() => {});
  const running = pipeline(busy, map((n: number) => Promise.resolve(n)), hangs, {
    signal: stop.signal,
  });
  await turns();
  assertEquals(busy.asked, 1);
  const left = askedSource();
  let settle = () => {};
  const leaving = pipeline(
    left,
    map((n: number) => n === 1 ? n : new Promise<number>((resolve) => settle = () => resolve(n))),
    new WritableStream({ write: hangs }, { highWaterMark: 10 }),
    { signal: stop.signal, preventCancel: true },
  );
  await turns();
  settle();
  stop.abort();
  await assertRejects(() => running);
  await assertRejects(() => leaving);
  assertEquals(left.asked, 2);
});

/** What a pipeline with these stages does at its two ends, in order. */
async function watchEnds(stages: readonly Transformer[], highWaterMark: number): Promise<string[]> {
  const seen: string[] = [];
  let next = 0;
  const source = new ReadableStream({
    pull(controller) {
      seen.push(`pull ${next}`);
      if (next < 5) controller.enqueue(next++);
      else controller.close();
    },
  }, { highWaterMark: 0 });
  const sink = new WritableStream({
    async write(chunk) {
      seen.push(`write ${chunk}`);
      await undefined;
    },
    close: () => void seen.push("close"),
  }, { highWaterMark });
  const { chunksRead, chunksWritten } = await pipeline(source, ...stages as [], sink);
  return [...seen, `${chunksRead} read, ${chunksWritten} written`];
}

for (const highWaterMark of [1, 2, 7, Infinity]) {
  test(`a pipeline without a stage reads and writes as one with a stage does, into ${highWaterMark}`, async () => {
    const [without, withOne] = await withStoppedClock(async () => [
      await watchEnds([], highWaterMark),
      await watchEnds([map((chunk: unknown) => chunk)], highWaterMark),
    ]);
    assertEquals(without, withOne);
  });
}

const later = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

test("two slow stages overlap, with one chunk in each", async () => {
  for (const way of ["pipeline", "fuse"]) {
    let [active, most] = [0, 0];
    const slow = () =>
      map(async (n: number) => {
        most = Math.max(most, ++active);
        await later();
        active--;
        return n;
      });
    await (way === "pipeline"
      ? pipeline([1, 2, 3, 4], slow(), slow(), () => {})
      : from([1, 2, 3, 4]).pipeThrough(fuse(slow(), slow())).pipeTo(new WritableStream()));
    assertEquals(most, 2, way);
  }
});

test("pipeline calls the functions it is given without a receiver", async () => {
  const receivers: unknown[] = [];
  function note(this: unknown, chunk: number): number {
    receivers.push(this);
    return chunk + 1;
  }
  const notes = function (this: unknown, chunk: number) {
    return [note.call(this, chunk)];
  };
  await pipeline([0], map(note), filter(note), tap(note), flatMap(notes), map(note), note as never);
  assertEquals(receivers, new Array(6).fill(undefined));
});

const soon = async (n: number) => {
  await undefined;
  return n;
};
const slowEnds = {
  async transform(n: number, controller: TransformStreamDefaultController<number>) {
    await undefined;
    controller.enqueue(n);
  },
  async flush(controller: TransformStreamDefaultController<number>) {
    await undefined;
    controller.enqueue(9);
  },
};
async function* slowSource() {
  yield 1;
  yield await soon(2);
}

test("a short run ends without a turn of the event loop, whatever waits", async () => {
  const written: number[] = [];
  const write = (n: number): void => void written.push(n);
  const sinks = [() => write, () => async (n: number) => write(await soon(n))];
  sinks.push(() => new WritableStream({ write }) as never);
  const sources = [
    () => [1, 2],
    () => [soon(1), soon(2)],
    () => from([1, 2]),
    () => slowSource(),
  ] as (() => Iterable<number>)[];
  const rows: object[][] = [[], [slowEnds], [map(soon), slowEnds, map(soon)]];
  for (const source of sources) {
    for (const sink of sinks) {
      for (const stages of rows) {
        written.length = 0;
        const isDone = await isQuick(() => pipeline(source(), ...stages as [], sink()));
        const expected = stages.length === 0 ? [1, 2] : [1, 2, 9];
        assertEquals([isDone, written], [true, expected], `${source} ${sink} ${stages.length}`);
      }
    }
  }
});
/** Whether a run ends while only microtasks run, and no time passes. */
function isQuick(run: () => Promise<unknown>): Promise<boolean> {
  return withStoppedClock(async () => {
    let isSettled = false;
    run().finally(() => isSettled = true).catch(() => {});
    for (let count = 0; count < 200 && !isSettled; count++) await undefined;
    return isSettled;
  });
}

function* forever() {
  while (true) yield 1;
}
const many = async function* (source: AsyncIterable<number>) {
  for await (const n of source) while (true) yield n;
};
const none = async function* (source: AsyncIterable<number>) {
  for await (const n of source) if (n < 0) yield n;
};

/** Runs that never wait, which only a timer ends. */
const busy: Readonly<Record<string, (options: PipelineOptions) => Promise<unknown>>> = {
  "no stage": (options) => pipeline(forever(), () => {}, options),
  "a stage": (options) => pipeline(forever(), map((n) => n), () => {}, options),
  "nothing gets through": (options) =>
    pipeline(forever(), filter(() => false), tap(() => {}), () => {}, options),
  "many of one chunk": (options) =>
    pipeline([1], flatMap(forever), () => Promise.resolve(), options),
  // Three million calls take more than 20 ms on any machine.
  "an array of one chunk": (options) =>
    pipeline([1], flatMap(() => range(3_000_000)), map((n) => n), tap(() => {}), () => {}, options),
  "a stream that always has a chunk": (options) =>
    pipeline(new ReadableStream({ pull: (given) => given.enqueue(1) }), () => {}, options),
  "a join of iterables": (options) =>
    pipeline(zip(forever(), forever()), map((pair) => pair), () => {}, options),
  "generators that drop all": (options) => pipeline([0], many, none, none, () => {}, options),
};

for (const [what, run] of Object.entries(busy)) {
  test(`the event loop has its turn in a run that never waits: ${what}`, async () => {
    const [error] = await errorOf(run({ signal: AbortSignal.timeout(5) })) as [DOMException];
    assertEquals(error.name, "TimeoutError");
  });
}
