import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { filter, flatMap, fuse, map, pipeline, take, tap } from "@hosepipe/streams";

/** A source that remembers how often it was asked and how it ended. */
function watchedSource(length: number) {
  const seen = { reads: 0, closed: 0 };
  const source = {
    *[Symbol.iterator]() {
      try {
        while (seen.reads < length) yield seen.reads++;
      } finally {
        seen.closed++;
      }
    },
  };
  return { seen, source };
}

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

test("pipeline refuses bad arguments before it touches anything", async () => {
  const { seen, source } = watchedSource(3);
  // deno-lint-ignore no-explicit-any
  const run = pipeline as any;
  const locked = new ReadableStream();
  locked.getReader();
  for (
    const [args, message] of [
      [
        [5, () => {}],
        "source must be a ReadableStream, an iterable or an async iterable, got 5",
      ],
      [
        [null, () => {}],
        "source must be a ReadableStream, an iterable or an async iterable, got null",
      ],
      [[source], "sink must be a WritableStream or a function"],
      [[source, {}, {}], "sink must be a WritableStream or a function"],
      [
        [source, () => {}, { signals: 1 }],
        'unknown option "signals"; did you mean "signal"?',
      ],
      [[source, () => {}, { signal: 1 }], "signal must be an AbortSignal"],
      [[locked, () => {}], "source is locked"],
      [[source, { transform: 5 }, () => {}], "stage 1: transform must be a function, got 5"],
    ] as const
  ) {
    await assertRejects(() => run(...args), TypeError, message);
  }
  assertEquals(seen.reads, 0);
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
