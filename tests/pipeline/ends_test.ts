import { test } from "node:test";
import {
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  batch,
  filter,
  flatMap,
  fuse,
  map,
  pipeline,
  type PipelineOptions,
  take,
  toBytes,
  toJson,
  toText,
  writer,
} from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { microtasks } from "../lib/microtasks.ts";
import { range } from "../lib/range.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";
import { sources } from "../lib/sources.ts";

// The rows of the table "How a stream ends" in docs/errors.md.

type Controller = TransformStreamDefaultController<number>;

/** Three stages between a source and a sink of streams; everything that hears of an end says so. */
function logged(failing: {
  source?: number;
  stage?: (chunk: number, controller: Controller) => void;
  sink?: number;
  writeMs?: number;
}) {
  const log: string[] = [];
  const nameOf = (reason: unknown) =>
    reason instanceof TypeError ? "TypeError" : (reason as Error)?.message ?? String(reason);
  let next = 0;
  const source = new ReadableStream<number>({
    pull(controller) {
      if (next === failing.source) throw new Error("source");
      if (next < 5) controller.enqueue(next++);
      else controller.close();
    },
    cancel: (reason) => void log.push(`source cancel ${nameOf(reason)}`),
  }, { highWaterMark: 0 });
  const stage = (name: string, transform = (chunk: number, controller: Controller) => {
    controller.enqueue(chunk);
  }) => ({
    transform,
    flush: () => void log.push(`${name} flush`),
    cancel: (reason: unknown) => void log.push(`${name} cancel ${nameOf(reason)}`),
  });
  const sink = new WritableStream<number>({
    async write(chunk) {
      if (failing.writeMs) await new Promise((resolve) => setTimeout(resolve, failing.writeMs));
      if (chunk === failing.sink) throw new Error("sink");
      log.push(`write ${chunk}`);
    },
    close: () => void log.push("sink close"),
    abort: (reason) => void log.push(`sink abort ${nameOf(reason)}`),
  }, { highWaterMark: 4 });
  const run = (options = {}) =>
    pipeline(source, stage("a"), stage("b", failing.stage), stage("c"), sink, options);
  const ends = () => log.filter((entry) => !entry.startsWith("write"));
  const written = () => log.filter((entry) => entry.startsWith("write")).length;
  const free = () => [source.locked, sink.locked];
  return { run, ends, written, free };
}

interface End {
  readonly failing?: Parameters<typeof logged>[0];
  readonly options?: () => PipelineOptions;
  /** What the run fails with; default: nothing. */
  readonly error?: string;
  readonly written?: number;
  readonly ends: string;
  /** Whether those that hear of it do so at once, in any order. */
  readonly inAnyOrder?: boolean;
}

const ends: Readonly<Record<string, End>> = {
  "the end flushes the stages one after the other, then closes the sink": {
    written: 5,
    ends: "a flush, b flush, c flush, sink close",
  },
  "a source's failure goes to the stages one after the other, then to the sink": {
    failing: { source: 3, writeMs: 2 },
    error: "source",
    written: 3,
    ends: "a cancel source, b cancel source, c cancel source, sink abort source",
  },
  "a stage's failure goes to both sides, once what was made before is written": {
    failing: {
      writeMs: 2,
      stage(chunk, controller) {
        if (chunk === 2) throw new Error("stage");
        controller.enqueue(chunk);
      },
    },
    error: "stage",
    written: 2,
    ends: "a cancel stage, c cancel stage, sink abort stage, source cancel stage",
    inAnyOrder: true,
  },
  "an early end cancels what is before it, and flushes what is after it": {
    failing: {
      writeMs: 2,
      stage(chunk, controller) {
        controller.enqueue(chunk);
        if (chunk === 1) controller.terminate();
      },
    },
    written: 2,
    ends: "a cancel TypeError, c flush, sink close, source cancel TypeError",
    inAnyOrder: true,
  },
  "a sink's failure goes to the stages, the last first, then to the source": {
    failing: { sink: 1 },
    error: "sink",
    ends: "c cancel sink, b cancel sink, a cancel sink, source cancel sink",
  },
  "a signal's reason goes to all at once": {
    failing: { writeMs: 2 },
    options() {
      const stop = new AbortController();
      queueMicrotask(() => stop.abort(new Error("signal")));
      return { signal: stop.signal };
    },
    error: "signal",
    ends:
      "a cancel signal, b cancel signal, c cancel signal, sink abort signal, source cancel signal",
    inAnyOrder: true,
  },
  "preventAbort leaves the sink open": {
    failing: { source: 1 },
    options: () => ({ preventAbort: true }),
    error: "source",
    ends: "a cancel source, b cancel source, c cancel source",
  },
  "preventClose leaves the sink open": {
    options: () => ({ preventClose: true }),
    ends: "a flush, b flush, c flush",
  },
  "preventCancel leaves the source open": {
    failing: { sink: 1 },
    options: () => ({ preventCancel: true }),
    error: "sink",
    ends: "c cancel sink, b cancel sink, a cancel sink",
  },
};

for (
  const [title, { failing, options, error, written, ends: expected, inAnyOrder }] of Object.entries(
    ends,
  )
) {
  test(`pipeline: ${title}, and lets go of both`, async () => {
    const seen = logged(failing ?? {});
    if (error === undefined) await seen.run(options?.());
    else await assertRejects(() => seen.run(options?.()), Error, error);
    if (written !== undefined) assertEquals(seen.written(), written);
    const heard = inAnyOrder ? seen.ends().toSorted() : seen.ends();
    assertEquals([heard.join(", "), seen.free()], [expected, [false, false]]);
  });
}

test("a start that throws fails the run and closes no sink, though it ended its stream before", async () => {
  for (const endsBefore of [0, 1]) {
    const seen: string[] = [];
    const stages = [
      { start: (controller: Controller) => controller.terminate() },
      {
        start(controller: Controller) {
          if (endsBefore === 0) controller.terminate();
          throw new Error("no start");
        },
      },
    ].slice(1 - endsBefore);
    const source = new ReadableStream({ cancel: (reason) => void seen.push(`cancel ${reason}`) });
    const sink = new WritableStream({
      close: () => void seen.push("close"),
      abort: (reason) => void seen.push(`abort ${reason}`),
    });
    await assertRejects(() => pipeline(source, ...stages as [], sink), Error, "no start");
    assertEquals(seen.at(-1), "abort Error: no start");
    assertEquals([seen.length, source.locked, sink.locked], [2, false, false]);
  }
});

test("a sink that refuses what a start gives is what the run fails with", async () => {
  const failure = new Error("refused");
  const written: number[] = [];
  const sink = (n: number) => {
    written.push(n);
    throw failure;
  };
  for (const before of [[], [{}]]) {
    const stages = [...before, { start: (controller: Controller) => controller.enqueue(0) }];
    const run = () => pipeline([1], ...stages as unknown as [], sink);
    assertEquals(await assertRejects(run), failure);
  }
  assertEquals(written, [0, 0]);
});

test("a stage whose start threw can give nothing afterwards, and hears so", async () => {
  const controllers: Controller[] = [];
  const keep = { start: (controller: Controller) => void controllers.push(controller) };
  const failing = {
    start(controller: Controller) {
      controllers.push(controller);
      throw new Error("no start");
    },
  };
  const written: number[] = [];
  const run = () => pipeline([1], keep, failing, keep, (n: number) => void written.push(n));
  await assertRejects(run, Error, "no start");
  assertEquals(controllers.length, 2);
  for (const controller of controllers) {
    assertThrows(() => controller.enqueue(2), TypeError, "Cannot enqueue");
  }
  assertEquals(written, []);
});

test("a sink's failure ends a run whose generator hangs in its next, and waits for no return", async () => {
  let fail: (reason: unknown) => void = () => {};
  const sink = new WritableStream<number>({
    start: (controller) => void (fail = (reason) => controller.error(reason)),
    write: (n) => {
      if (n === 1) setTimeout(() => fail(new Error("full")), 0);
    },
  });
  async function* numbers() {
    yield 1;
    await new Promise(() => {});
    yield 2;
  }
  await assertRejects(() => pipeline(numbers(), sink), Error, "full");
  assertEquals(sink.locked, false);
});

test("an iterator that has failed is not closed: it has ended by itself", async () => {
  for (const isAsync of [false, true]) {
    for (const stages of [[], [map((n: number) => n)]]) {
      let returns = 0;
      const reason = new Error("why");
      const iterator = {
        next() {
          if (isAsync) return Promise.reject(reason);
          throw reason;
        },
        return: () => ({ done: true, value: ++returns }),
      };
      const key = isAsync ? Symbol.asyncIterator : Symbol.iterator;
      const source = { [key]: () => iterator } as unknown as Iterable<number>;
      const ends = [() => {}, () => new WritableStream<number>()] as const;
      for (const sink of [ends[0], ends[1]()]) {
        const run = pipeline(source, ...stages as [], sink as () => void);
        assertEquals(await run.catch((error) => error), reason);
      }
      assertEquals(returns, 0, `asynchronous: ${isAsync}, ${stages.length} stages`);
    }
  }
});

const late = new Error("late");

/** Calls `error` in a microtask after the chunk `n`. */
function errorsAfter(n: number) {
  return {
    transform(chunk: number, controller: Controller) {
      controller.enqueue(chunk);
      if (chunk === n) queueMicrotask(() => controller.error(late));
    },
  };
}

const pass = () => map((n: number) => n);

test("an error after the last chunk, in a microtask, is too late for pipeline, and loses nothing", async () => {
  const written: number[][] = [];
  const sink = (chunks: number[]): void => void written.push(chunks);
  // On a busy machine the run would give the event loop its turn, and the error would be in time.
  const run = () => errorOf(pipeline([1], pass(), errorsAfter(1), batch(2), sink));
  assertEquals(await withStoppedClock(run), "none");
  assertEquals(written, [[1]]);
});

test("an error in a microtask while chunks are still to come fails a pipeline", async () => {
  const chunks = async function* () {
    yield 1;
    await microtasks(10);
    yield 2;
  };
  assertEquals(await errorOf(pipeline(chunks(), pass(), errorsAfter(1), batch(2), () => {})), [
    late,
  ]);
});

const failure = new Error("a failure on purpose");

function refused(standing: Awaited<ReturnType<typeof settledWithin>>, text: string): void {
  assertEquals(standing.state, "rejected");
  const { reason } = standing as { reason: Error };
  assertInstanceOf(reason, TypeError);
  assertStringIncludes(reason.message, text);
}

test("what ends behind a pair whose streams know nothing of each other ends what is before it, with the reason", async () => {
  for (const isFailing of [true, false]) {
    const reasons: unknown[] = [];
    const source = new ReadableStream<number>({
      pull: (controller) => controller.enqueue(0),
      cancel: (reason) => void reasons.push(reason),
    }, { highWaterMark: 0 });
    const pair = {
      readable: new ReadableStream<number>({
        start(controller) {
          for (const n of [1, 2, 3]) controller.enqueue(n);
        },
        cancel: (reason) => void reasons.push(reason),
      }),
      writable: new WritableStream<number>({
        write: () => turns(1),
        abort: (reason) => void reasons.push(reason),
      }),
    };
    const written: number[] = [];
    const run = pipeline(source, pair, isFailing ? {} : take<number>(1), (n: number) => {
      if (isFailing && n === 2) throw failure;
      written.push(n);
    });
    assertEquals(await errorOf(run), isFailing ? [failure] : "none");
    assertEquals([written, source.locked, pair.readable.locked], [[1], false, false]);
    // The readable side, the source, the writable side.
    const texts = reasons.map((reason) => reason === failure ? reason : `${reason}`);
    const early = "TypeError: Cannot write: a later stage has ended the stream";
    assertEquals(texts, isFailing ? [failure, failure, failure] : [early, early, early]);
  }
});

test("a source whose next gives no object fails at once, and nothing is left unhandled", async () => {
  const unhandled = await unhandledDuring(async () => {
    for (const result of [undefined, null, 5, "text"]) {
      for (const symbol of [Symbol.iterator, Symbol.asyncIterator]) {
        let calls = 0;
        const next = () => {
          if (++calls > 100) throw new Error("asked again and again");
          return symbol === Symbol.asyncIterator ? Promise.resolve(result) : result;
        };
        const source = { [symbol]: () => ({ next }) } as unknown as Iterable<number>;
        for (const stages of [[], [map((n: number) => n)]]) {
          const standing = await settledWithin(pipeline(source, ...stages as [], () => {}));
          refused(standing, "must");
        }
        assertEquals(calls, 2);
      }
    }
  });
  assertEquals(unhandled, []);
});

test("a pair that fails while it starts, and never answers its abort, holds nothing up", async () => {
  const pair = new TransformStream({
    async start(controller) {
      await undefined;
      controller.error(new Error("start"));
    },
  });
  const aborted: unknown[] = [];
  // deno-lint-ignore require-yield
  const source = (function* (): Generator<number> {
    throw new Error("source");
  })();
  const sink = new WritableStream({ abort: (reason) => void aborted.push(reason) });
  const standing = await settledWithin(pipeline(source, pair, sink));
  assertEquals(standing.state, "rejected");
  const { reason } = standing as { reason: Error };
  assertEquals([reason.message, aborted], ["source", [reason]]);
});

test("an iterator that cannot be closed when its chunks are not wanted leaves nothing unhandled", async () => {
  const endless = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false, value: 1 }),
      return: () => Promise.reject(new Error("cannot close")),
    }),
  };
  const unhandled = await unhandledDuring(async () => {
    await pipeline([1], flatMap(() => endless), take(2), () => {});
    await Array.fromAsync(from([1]).pipeThrough(fuse(flatMap(() => endless), take(2))));
  });
  assertEquals(unhandled, []);
});

test("a changed copy that waits for room in its flush goes on when the sink fails", async () => {
  const reason = new Error("disk full");
  const copy = { ...flatMap((n: number) => [n, n], { concurrency: 2 }) };
  const flushed: string[] = [];
  const stage = {
    ...copy,
    flush: async (controller: TransformStreamDefaultController<number>) => {
      await copy.flush!(controller);
      flushed.push("flush");
    },
  };
  const sink = new WritableStream<number>({
    write: async () => {
      await turns(2);
      throw reason;
    },
  });
  const run = pipeline([1], stage, filter<number>(() => Promise.resolve(true)), sink);
  assertEquals(await errorOf(run), [reason]);
  assertEquals(flushed, ["flush"]);
});

test("a sink that others have closed fails the run, with what its source's cancel throws if it does, as by pipeTo", async () => {
  const failure = new Error("cannot be cancelled");
  for (const fails of [false, true]) {
    for (
      const run of [pipeline, (source: ReadableStream, sink: WritableStream) => source.pipeTo(sink)]
    ) {
      const reasons: unknown[] = [];
      const source = new ReadableStream({
        cancel(reason) {
          reasons.push(reason);
          if (fails) throw failure;
        },
      });
      const sink = new WritableStream();
      await sink.close();
      const [error] = await errorOf(run(source, sink)) as [Error];
      if (fails) assertEquals(error, failure);
      else assertEquals(error, reasons[0]);
      assertInstanceOf(reasons[0], TypeError);
      if (run === pipeline) {
        assertEquals((reasons[0] as Error).message, "Cannot write: the sink is already closed");
      }
    }
  }
});

test("a sink that fails by itself while a write goes on says why, though a stage fails and the write does, too", async () => {
  let controller!: WritableStreamDefaultController;
  const gate = Promise.withResolvers<void>();
  const sink = new WritableStream({
    start: (given) => void (controller = given),
    write: () => gate.promise,
  }, { highWaterMark: 2 });
  let source!: ReadableStreamDefaultController<number>;
  const chunks = new ReadableStream<number>({ start: (given) => void (source = given) });
  const stage: Transformer<number, number> = {
    transform(chunk, own) {
      if (chunk === 1) own.enqueue(chunk);
      else own.error("stage");
    },
  };
  const run = errorOf(pipeline(chunks, stage, sink));
  source.enqueue(1);
  await turns(1);
  controller.error("sink");
  source.enqueue(2);
  await turns(1);
  gate.reject("write");
  assertEquals(await run, ["sink"]);
});

test("a pair that ends in the moment in which its source does has not failed", async () => {
  // The source closes so many microtasks after its last chunk; each write takes so many.
  for (let closesAfter = 0; closesAfter < 6; closesAfter++) {
    for (let writesFor = 0; writesFor < 6; writesFor++) {
      let given = 0;
      const source = new ReadableStream<number>({
        async pull(controller) {
          controller.enqueue(given++);
          if (given < 3) return;
          if (closesAfter > 0) await microtasks(closesAfter);
          controller.close();
        },
      });
      const written: number[] = [];
      const sink = new WritableStream<number>({
        async write(chunk) {
          await microtasks(writesFor);
          written.push(chunk);
        },
      });
      const pair = new TransformStream<number, number>(take(3));
      const { chunksRead } = await pipeline(source, pair, sink);
      assertEquals([closesAfter, writesFor, chunksRead, written], [
        ...[closesAfter, writesFor, 3, [0, 1, 2]],
      ]);
    }
  }
});

const stop = new Error("stop");
const first = new Error("first");
const rows = { "no stage": [], "a stage": [map((chunk: unknown) => chunk)] };

for (const [name, row] of Object.entries(rows)) {
  test(`a write that aborts its run and then fails leaves nothing unhandled, with ${name}`, async () => {
    for (const isAsync of [false, true]) {
      const unhandled = await unhandledDuring(async () => {
        const abort = new AbortController();
        const write = () => {
          abort.abort(stop);
          if (isAsync) return Promise.reject(new Error("disk full"));
          throw new Error("disk full");
        };
        const sink = new WritableStream({ write });
        const source = (async function* () {
          await undefined;
          yield 1;
          yield 2;
        })();
        const run = pipeline(source, ...row as [], sink, { signal: abort.signal });
        assertEquals(await run.catch((reason) => reason), stop);
        assertEquals(sink.locked, false);
      });
      assertEquals(unhandled, []);
    }
  });

  const bare = { name: "the run", make: (source: Iterable<number>) => source as never };
  for (const { name: kind, make } of [bare, ...sources]) {
    test(`a generator in ${kind} that aborts its own run is closed, with ${name}`, async () => {
      const abort = new AbortController();
      let closed = 0;
      const source = (function* () {
        try {
          yield 1;
          abort.abort(stop);
          yield 2;
          yield 3;
        } finally {
          closed++;
        }
      })();
      const run = pipeline(make(source), ...row as [], () => {}, { signal: abort.signal });
      assertEquals(await run.catch((reason) => reason), stop);
      await turns(3);
      assertEquals(closed, 1);
    });
  }

  const cleanups: Record<string, (clean: () => void) => AsyncIterable<number> | Iterable<number>> =
    {
      "generator": function* (clean) {
        try {
          yield* [1, 2];
        } finally {
          clean();
        }
      },
      "async generator": async function* (clean) {
        yield* cleanups.generator!(clean);
      },
      "iterator": (clean) => ({
        [Symbol.iterator]: () => ({
          next: () => ({ done: false, value: 1 }),
          return: () => ({ done: true, value: clean() }),
        }),
      }),
      "stream": (clean) =>
        new ReadableStream({ pull: (controller) => controller.enqueue(1), cancel: clean }),
    };
  for (const [kind, make] of Object.entries(cleanups)) {
    test(`a ${kind} that aborts its run as it is closed hides no failure, with ${name}`, async () => {
      const abort = new AbortController();
      let cleaned = 0;
      const source = make(() => {
        cleaned++;
        abort.abort(new Error("cleanup"));
      });
      const sink = () => {
        throw first;
      };
      const run = pipeline(source, ...row as [], sink, { signal: abort.signal });
      assertEquals(await run.catch((reason) => reason), first);
      assertEquals(cleaned, 1);
    });
  }

  test(`a run stopped by its signal leaves what it has not read in a source that is kept, with ${name}`, async () => {
    for (let steps = 0; steps < 20; steps++) {
      const abort = new AbortController();
      let controller!: ReadableStreamDefaultController<string>;
      const source = new ReadableStream<string>({ start: (given) => void (controller = given) }, {
        highWaterMark: 0,
      });
      const got: string[] = [];
      const take = (chunk: string): void => void got.push(chunk);
      const sink = new WritableStream({ write: take }, { highWaterMark: 2 });
      const kept = { preventCancel: true, preventAbort: true };
      const run = pipeline(source, ...row as [], sink, { signal: abort.signal, ...kept });
      const stopped = assertRejects(() => run, Error, "stop");
      await turns(2);
      controller.enqueue("a");
      for (let step = 0; step < steps; step++) await undefined;
      abort.abort(stop);
      controller.enqueue("b");
      await stopped;
      controller.enqueue("c");
      controller.close();
      await pipeline(source, take);
      assertEquals(got, ["a", "b", "c"]);
    }
  });
}

const stages = { "no stage": [], "a stage": [map((chunk: number) => chunk)] };

for (const [name, row] of Object.entries(stages)) {
  for (const count of [1, 2, 3, 50]) {
    test(`${count} chunks into a sink that was closed before fail the run, with ${name}`, async () => {
      for (const preventClose of [false, true]) {
        const written: number[] = [];
        const write = (chunk: number): void => void written.push(chunk);
        for (const sink of [new WritableStream({ write }), writer(write, { highWaterMark: 4 })]) {
          written.length = 0;
          await pipeline([0], sink);
          for (const source of [range(count), from(range(count))]) {
            const run = pipeline(source, ...row as [], sink, { preventClose });
            await assertRejects(() => run, TypeError);
          }
          assertEquals([written, sink.locked], [[0], false]);
        }
      }
    });

    test(`${count} chunks into a sink that is still closing fail the run, with ${name}`, async () => {
      const write = Promise.withResolvers<void>();
      const written: number[] = [];
      const sink = new WritableStream<number>({
        write(chunk) {
          written.push(chunk);
          return write.promise;
        },
      });
      const before = sink.getWriter();
      const firstWritten = before.write(0);
      const closed = before.close();
      before.releaseLock();
      const run = pipeline(range(count), ...row as [], sink);
      write.resolve();
      await assertRejects(() => run, TypeError);
      await Promise.all([firstWritten, closed]);
      assertEquals([written, sink.locked], [[0], false]);
    });

    test(`${count} chunks into a pair whose writable side was closed fail the run, with ${name}`, async () => {
      const closed = new TransformStream<number, number>(undefined, { highWaterMark: 5 });
      await closed.writable.close();
      const got: number[] = [];
      const run = pipeline(range(count), ...row as [], closed, (chunk: number) => {
        got.push(chunk);
      });
      await assertRejects(() => run, TypeError, "the writable side of a pair was closed already");
      assertEquals(got, []);
    });
  }
}

const endlessOf = <T>(chunk: T) => new ReadableStream<T>({ pull: (given) => given.enqueue(chunk) });
const halfOfText = () => endlessOf("a").pipeThrough(new TextEncoderStream()).tee()[0];
const refuse = (): never => {
  throw failure;
};
const terminating: Transformer<number, number> = {
  transform(chunk, controller) {
    controller.enqueue(chunk);
    controller.terminate();
  },
};
const halves: Readonly<
  Record<string, [run: (half: ReadableStream<number>) => Promise<unknown>, reason?: unknown]>
> = {
  "a stage ends it": [(half) => pipeline(half, take<number>(2), () => {})],
  "a stage fails": [(half) => pipeline(half, map(refuse), () => {}), failure],
  "a pair ends it": [(half) => pipeline(half, new TransformStream(terminating), () => {})],
  "a pair fails": [
    (half) => pipeline(half, new TransformStream({ transform: refuse }), () => {}),
    failure,
  ],
  "its sink fails": [(half) => pipeline(half, refuse), failure],
  "its text is too long": [() => toText(halfOfText(), { maxLength: 9 }), RangeError],
  "its JSON is too long": [() => toJson(halfOfText(), { maxLength: 9 }), RangeError],
  "its bytes are too many": [() => toBytes(halfOfText(), { maxBytes: 9 }), RangeError],
};

for (const [how, [run, reason]] of Object.entries(halves)) {
  test(`half of a tee lets go early, without waiting for the other half, where ${how}`, async () => {
    const [half, other] = endlessOf(1).tee();
    const standing = await settledWithin(run(half));
    assertEquals(half.locked, false);
    if (reason === RangeError) {
      return assertInstanceOf((standing as { reason: unknown }).reason, RangeError);
    }
    if (reason === undefined) assertEquals(standing.state, "fulfilled");
    else assertEquals(standing, { state: "rejected", reason });
    // The other half is not disturbed.
    const reader = other.getReader();
    assertEquals(await reader.read(), { done: false, value: 1 });
    await reader.cancel();
  });
}
