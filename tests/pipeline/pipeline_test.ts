import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { filter, flatMap, fuse, map, pipeline, take, tap } from "@hosepipe/streams";
import { describeFailure, failureOf, pendingRuns } from "@hosepipe/streams/inspect";
import { from } from "../lib/from.ts";
import { range } from "../lib/range.ts";
import { turnsDuring } from "../lib/turns.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

async function reasonOf(promise: Promise<unknown>): Promise<{ reason: unknown }> {
  try {
    await promise;
  } catch (reason) {
    return { reason };
  }
  throw new Error("it did not reject");
}

test("pipeline calls the functions it is given without a receiver", async () => {
  const receivers: unknown[] = [];
  function note(this: unknown, chunk: number): number {
    receivers.push(this);
    return chunk;
  }
  function keep(this: unknown): boolean {
    receivers.push(this);
    return true;
  }
  function write(this: unknown): void {
    receivers.push(this);
  }
  await pipeline(
    [0, 1],
    map(note),
    filter(keep),
    tap(note),
    flatMap(function (this: unknown, n) {
      receivers.push(this);
      return [n, n];
    }),
    map(note),
    write,
  );
  assertEquals(receivers, new Array(16).fill(undefined));
});

test("pipeline gives a failure of the source's closing after an early end", async () => {
  const source = {
    [Symbol.iterator]: () => ({
      next: () => ({ done: false as const, value: 1 }),
      return: () => {
        throw new Error("closing");
      },
    }),
  };
  await assertRejects(() => pipeline(source, take(1), () => {}), Error, "closing");
});

test("pipeline runs through pairs of native streams", async () => {
  const text: string[] = [];
  const { chunksRead, chunksWritten } = await pipeline(
    ["a", "b", "c"],
    new TextEncoderStream(),
    new CompressionStream("gzip"),
    new DecompressionStream("gzip"),
    new TextDecoderStream(),
    map((part) => part.toUpperCase()),
    (part) => void text.push(part),
  );
  assertEquals([text.join(""), chunksRead, chunksWritten > 0], ["ABC", 3, true]);
});

test("pipeline gives timers their turn inside one chunk's results and while only promises wait", async () => {
  let isStopped = false;
  let ticks = 0;
  const timer = setInterval(() => {
    if (++ticks === 3) isStopped = true;
  }, 1);
  await pipeline(
    [1],
    flatMap(function* () {
      while (!isStopped) yield 1;
    }),
    () => Promise.resolve(),
  );
  clearInterval(timer);
  assertEquals(ticks >= 3, true);
});

test("pipeline gives timers their turn while a stream always has a chunk ready", async () => {
  const run = pipeline(
    new ReadableStream({ pull: (controller) => controller.enqueue(1) }),
    () => {},
    { signal: AbortSignal.timeout(5) },
  );
  const { reason } = await reasonOf(run);
  assertEquals((reason as DOMException).name, "TimeoutError");
});

test("pipeline lets two slow stages overlap, with one chunk in each", async () => {
  const active = new Set<string>();
  const seen = new Set<string>();
  const slow = (name: string) =>
    map(async (n: number) => {
      active.add(name);
      seen.add([...active].sort().join());
      await later();
      active.delete(name);
      return n;
    });
  await pipeline([1, 2, 3, 4], slow("a"), slow("b"), () => {});
  assertEquals(seen.has("a,b"), true);
});

test("fuse lets two slow stages overlap", async () => {
  let active = 0;
  let most = 0;
  const slow = () =>
    map(async (n: number) => {
      most = Math.max(most, ++active);
      await later();
      active--;
      return n;
    });
  await ReadableStream.from([1, 2, 3, 4]).pipeThrough(fuse(slow(), slow())).pipeTo(
    new WritableStream(),
  );
  assertEquals(most, 2);
});

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

/** Whether a run ends while only microtasks run, and no time passes. */
async function isQuick(run: () => Promise<unknown>): Promise<boolean> {
  const { now } = performance;
  let isSettled = false;
  performance.now = () => 1_000;
  try {
    run().finally(() => isSettled = true).catch(() => {});
    for (let count = 0; count < 200 && !isSettled; count++) await undefined;
    return isSettled;
  } finally {
    performance.now = now;
  }
}

test("a run without a stage ends without a turn of the event loop, whatever waits", async () => {
  const written: number[] = [];
  const write = (n: number): void => void written.push(n);
  const writeLater = async (n: number) => {
    await undefined;
    write(n);
  };
  const sinks = {
    "a function": () => write,
    "one that waits": () => writeLater,
    "a stream": () => new WritableStream({ write }),
  };
  const sources = {
    "an array": () => [1, 2, 3],
    "promises": () => [1, 2, 3].map((n) => Promise.resolve(n)),
    "a stream": () => from([1, 2, 3]),
  };
  for (const [sourceName, source] of Object.entries(sources)) {
    for (const [sinkName, sink] of Object.entries(sinks)) {
      written.length = 0;
      const isDone = await isQuick(() => pipeline(source() as number[], sink() as typeof write));
      assertEquals([isDone, written], [true, [1, 2, 3]], `${sourceName} into ${sinkName}`);
    }
  }
});

test("a short run whose parts answer by promises ends without a turn of the event loop", async () => {
  const later = async (n: number) => {
    await undefined;
    return n;
  };
  const ends = {
    async transform(n: number, controller: TransformStreamDefaultController<number>) {
      await undefined;
      controller.enqueue(n);
    },
    async flush(controller: TransformStreamDefaultController<number>) {
      await undefined;
      controller.enqueue(9);
    },
  };
  const written: number[] = [];
  const write = async (n: number) => {
    await undefined;
    written.push(n);
  };
  const runs: Record<string, () => Promise<unknown>> = {
    "a stage": () => pipeline([1, 2], map(later), ends, map(later), (n) => void written.push(n)),
    "a sink": () => pipeline([1, 2], ends, write),
    "a source": () => pipeline([later(1), later(2)], map((n: number) => n), ends, write),
    "an asynchronous source": () =>
      pipeline(
        (async function* () {
          yield 1;
          yield await later(2);
        })(),
        ends,
        write,
      ),
  };
  for (const [name, run] of Object.entries(runs)) {
    written.length = 0;
    assertEquals([await isQuick(run), written], [true, [1, 2, 9]], name);
  }
});

test("the event loop has its turn within one array of flatMap, many times", async () => {
  const large = range(3_000_000);
  let sum = 0;
  const chunks = [1];
  const turns = await turnsDuring(() =>
    pipeline(chunks, flatMap(() => large), map((n: number) => n + 1), filter((n) => n > 0), (n) => {
      sum += n;
    })
  );
  assertEquals(sum, 3_000_000 * 3_000_001 / 2);
  // Three million calls of three functions take more than 20 ms on any machine.
  assert(turns >= 3, `${turns} turns`);
});

test("the event loop has its turn while a stage enqueues one by one, and while nothing gets through", async () => {
  const turns = await turnsDuring(() =>
    pipeline(range(2_000_000), filter(() => false), tap(() => {}), () => {})
  );
  assert(turns >= 2, `${turns} turns`);
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
  const { now } = performance;
  // No time passes: on a busy machine a turn would be over in between.
  performance.now = () => 1_000;
  try {
    const { chunksRead, chunksWritten } = await pipeline(source, ...stages as [], sink);
    return [...seen, `${chunksRead} read, ${chunksWritten} written`];
  } finally {
    performance.now = now;
  }
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

test("a pipeline without a stage asks its iterator for nothing more once its sink has thrown", async () => {
  const asked: number[] = [];
  let isClosed = false;
  function* numbers() {
    try {
      for (const n of range(10)) {
        asked.push(n);
        yield n;
      }
    } finally {
      isClosed = true;
    }
  }
  const sink = (n: number) => {
    if (n === 3) throw new Error("full");
  };
  await assertRejects(() => pipeline(numbers(), sink), Error, "full");
  assertEquals([asked, isClosed], [range(4), true]);
});

test("a pipeline without a stage goes on with what its sink's own promises let through, one at a time", async () => {
  let running = 0;
  let most = 0;
  const written: number[] = [];
  const { chunksWritten } = await pipeline(range(20), async (n: number) => {
    most = Math.max(most, ++running);
    await undefined;
    running--;
    written.push(n);
  });
  assertEquals([most, chunksWritten, written], [1, 20, range(20)]);
});

test("the event loop has its turn while a pipeline without a stage runs", async () => {
  let sum = 0;
  const turns = await turnsDuring(() => pipeline(range(2_000_000), (n: number) => void (sum += n)));
  assertEquals([turns >= 1, sum], [true, 1_999_999 * 1_000_000]);
});
