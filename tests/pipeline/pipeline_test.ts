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

test("pipeline counts what it read and wrote", async () => {
  const { chunksRead, chunksWritten, elapsedMs } = await pipeline(
    [1, 2, 3],
    flatMap((n) => [n, n]),
    () => {},
  );
  assertEquals([chunksRead, chunksWritten, elapsedMs >= 0], [3, 6, true]);
});

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

test("pipeline reads nothing while its sink waits", async () => {
  const { seen, source } = watchedSource(5);
  const readsAtWrite: number[] = [];
  await pipeline(source, map((n) => n), async () => {
    readsAtWrite.push(seen.reads);
    await later();
    readsAtWrite.push(seen.reads);
  });
  assertEquals(readsAtWrite, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
});

test("pipeline ends an endless flatMap when a later stage has enough", async () => {
  let given = 0;
  let closed = 0;
  const written: number[] = [];
  await pipeline(
    [0],
    flatMap(function* () {
      try {
        while (true) yield given++;
      } finally {
        closed++;
      }
    }),
    take(3),
    (n) => void written.push(n),
  );
  assertEquals([written, closed, given <= 64], [[0, 1, 2], 1, true]);
});

test("pipeline closes its source when a sink throws undefined, and rejects with undefined", async () => {
  const { seen, source } = watchedSource(9);
  const run = pipeline(source, map((n) => n), (n) => {
    if (n === 2) throw undefined;
  });
  assertEquals(await reasonOf(run), { reason: undefined });
  assertEquals(seen, { reads: 3, closed: 1 });
});

test("pipeline hands the same reason to a stream source, the stages and a stream sink", async () => {
  const reason = new Error("stage");
  const told: [string, unknown][] = [];
  const run = pipeline(
    new ReadableStream<number>({
      pull: (controller) => controller.enqueue(1),
      cancel: (reason) => void told.push(["source", reason]),
    }),
    { cancel: (reason: unknown) => void told.push(["before", reason]) } as Transformer<
      number,
      number
    >,
    map((): number => {
      throw reason;
    }),
    { cancel: (reason: unknown) => void told.push(["after", reason]) } as Transformer<
      number,
      number
    >,
    new WritableStream({ abort: (reason) => void told.push(["sink", reason]) }),
  );
  assertEquals(await reasonOf(run), { reason });
  assertEquals(
    told.map(([who]) => who).sort(),
    ["after", "before", "sink", "source"],
  );
  assertEquals(told.every(([, given]) => given === reason), true);
});

test("pipeline stops at its signal though the source hangs", async () => {
  const controller = new AbortController();
  const told: unknown[] = [];
  const run = pipeline(
    new ReadableStream({ pull: () => new Promise(() => {}), cancel: (r) => void told.push(r) }),
    () => {},
    { signal: controller.signal },
  );
  await later();
  controller.abort("enough");
  assertEquals([await reasonOf(run), told], [{ reason: "enough" }, ["enough"]]);
});

test("pipeline with a signal aborted before reads nothing", async () => {
  const { seen, source } = watchedSource(9);
  const run = pipeline(source, () => {}, { signal: AbortSignal.abort("before") });
  assertEquals([await reasonOf(run), seen.reads], [{ reason: "before" }, 0]);
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

test("pipeline leaves no lock behind, however it ends", async () => {
  for (const fail of [false, true]) {
    const source = ReadableStream.from([1, 2]);
    const sink = new WritableStream();
    await pipeline(
      source,
      map(() => {
        if (fail) throw new Error("stage");
      }),
      sink,
    ).catch(() => {});
    assertEquals([source.locked, sink.locked], [false, false]);
  }
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

test("pipeline gives timers their turn while stages never wait", async () => {
  let isStopped = false;
  let ticks = 0;
  const timer = setInterval(() => {
    if (++ticks === 3) isStopped = true;
  }, 1);
  await pipeline(
    (function* () {
      while (!isStopped) yield 1;
    })(),
    map((n) => n),
    () => {},
  );
  clearInterval(timer);
  assertEquals(ticks >= 3, true);
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
