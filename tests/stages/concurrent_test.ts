import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  expand,
  flatMap,
  parallel,
  type ParallelOptions,
  pipeline,
  take,
  toArray,
} from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { held } from "../lib/held.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

/** Endless numbers, which tell how many were taken and how often they were closed. */
function endless() {
  const counts = { taken: 0, closed: 0 };
  const iterable: Iterable<number> = {
    [Symbol.iterator]: () => ({
      next: () => ({ done: false, value: counts.taken++ }),
      return() {
        counts.closed++;
        return { done: true, value: undefined };
      },
    }),
  };
  const asyncIterable: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false, value: counts.taken++ }),
      return() {
        counts.closed++;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  return { counts, iterable, asyncIterable };
}

for (const kind of ["iterable", "asyncIterable"] as const) {
  for (const highWaterMark of [0, 1, 4]) {
    test(`flatMap() reads an endless ${kind} no further than a queue of ${highWaterMark}`, async () => {
      const { counts, [kind]: numbers } = endless();
      const readable = from([0]).pipeThrough(
        new TransformStream(flatMap(() => numbers), undefined, { highWaterMark }),
      );
      const defaultReader = readable.getReader();
      for (let value = 0; value < 5; value++) {
        assertEquals(await defaultReader.read(), { done: false, value });
      }
      await turns(20);
      // At a mark of 0 only an overfull queue tells that nobody reads.
      assertEquals(counts.taken, 5 + Math.max(highWaterMark, 1));
      await defaultReader.cancel();
      await turns();
      assertEquals(counts, { taken: 5 + Math.max(highWaterMark, 1), closed: 1 });
    });
  }

  test(`flatMap() leaves no timer when cancelled in an endless ${kind}`, async () => {
    await withTimerCount(async (pending) => {
      const { counts, [kind]: numbers } = endless();
      const { readable, writable } = new TransformStream(flatMap(() => numbers));
      const defaultWriter = writable.getWriter();
      const write = errorOf(defaultWriter.write(0));
      const defaultReader = readable.getReader();
      await defaultReader.read();
      await turns();
      assertEquals(pending(), 1);
      await Promise.all([defaultReader.cancel("enough"), errorOf(defaultWriter.closed), write]);
      assertEquals([pending(), counts.closed], [0, 1]);
    });
  });
}

test("flatMap() is cancelled though the next chunk never comes", async () => {
  let closed = 0;
  const stalled: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return() {
        closed++;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  const { readable, writable } = new TransformStream(flatMap(() => stalled));
  const defaultWriter = writable.getWriter();
  const write = errorOf(defaultWriter.write(0));
  const defaultReader = readable.getReader();
  const read = defaultReader.read();
  await turns();
  await defaultReader.cancel("enough");
  assertEquals(await read, { done: true, value: undefined });
  await write;
  assertEquals(await errorOf(defaultWriter.closed), ["enough"]);
  assertEquals(closed, 1);
});

test("of an array that changes while it is given, what is added is not given, nor what is gone", async () => {
  const grown = Array.from({ length: 300 }, (_, index) => index);
  let count = 0;
  await pipeline([grown], flatMap((array: number[]) => array), (chunk) => {
    count++;
    grown.push(chunk);
  });
  assertEquals([count, grown.length], [300, 600]);

  const cut = Array.from({ length: 300 }, (_, index) => index);
  const chunks: number[] = [];
  await pipeline([cut], flatMap((array: number[]) => array), (chunk) => {
    if (chunks.push(chunk) === 50) cut.length = 200;
  });
  // A part goes whole: 128 chunks were given already.
  assertEquals(chunks, Array.from({ length: 200 }, (_, index) => index));
});

test("expand() reads its source and what it finds on demand, and closes that on an early end", async () => {
  let [read, closed] = [0, 0];
  function* children() {
    try {
      for (;;) yield ++read;
    } finally {
      closed++;
    }
  }
  assertEquals(await toArray([0], expand(children), take(3)), [0, 1, 2]);
  assert(read <= 4, String(read));
  assertEquals(closed, 1);
});

/** A running stream of `parallel` over numbers, its calls settled by hand. */
function open(options: ParallelOptions, length?: number) {
  const { fn, calls } = held<string, [chunk: number, index: number]>();
  const source = countedSource({ length });
  const readable = source.readable.pipeThrough(new TransformStream(parallel(fn, options)));
  const output: string[] = [];
  const ended = errorOf((async () => {
    for await (const chunk of readable) output.push(chunk);
  })());
  return { calls, ended, output, source };
}

test("parallel() ordered has a window of four times its concurrency, and of at most 1,024 if that is enough", async () => {
  for (const [concurrency, window] of [[1, 4], [3, 12], [300, 1024], [1100, 1100]] as const) {
    let begun = 0;
    const stage = parallel((chunk: number) => {
      begun++;
      return chunk === 0 ? new Promise<number>(() => {}) : Promise.resolve(chunk);
    }, { concurrency });
    const { readable, writable } = new TransformStream(stage);
    const defaultWriter = writable.getWriter();
    const read = readable.getReader();
    read.read().catch(() => {});
    for (let chunk = 0; chunk < window + 5; chunk++) defaultWriter.write(chunk).catch(() => {});
    await turns();
    // With a concurrency of 1 the call that hangs is the only one.
    assertEquals(begun, concurrency === 1 ? 1 : window);
    await read.cancel("enough");
  }
});

test("parallel() ordered fails in its turn, also with what has failed while it waited", async () => {
  const { calls, ended, output, source } = open({ concurrency: 3, window: 6 }, 9);
  await turns();
  calls[2]!.resolve("c");
  await turns();
  assertEquals(calls.length, 4);
  calls[1]!.reject("why");
  await turns();
  // No call begins after one that has failed, though there is room.
  assertEquals([calls.length, output], [4, []]);
  calls[0]!.resolve("a");
  assertEquals([await ended, output], [["why"], ["a"]]);
  await turns();
  assertEquals(source.cancelReasons, ["why"]);
});

for (const ordered of [true, false]) {
  test(`parallel() tells its calls when the queue's size() throws, ordered: ${ordered}`, async () => {
    const reason = new Error("size");
    const signals: AbortSignal[] = [];
    const size = () => {
      throw reason;
    };
    const { readable, writable } = new TransformStream(
      parallel((n: number, _index, { signal }) => {
        signals.push(signal);
        return Promise.resolve(n);
      }, { concurrency: 2, ordered }),
      { highWaterMark: 4 },
      { highWaterMark: 4, size },
    );
    const defaultWriter = writable.getWriter();
    defaultWriter.closed.catch(() => {});
    defaultWriter.write(1).catch(() => {});
    // A read that waits would be given the chunk without its being measured.
    await turns();
    assertEquals(await errorOf(readable.getReader().read()), [reason]);
    assertEquals(signals.map(({ aborted, reason }) => [aborted, reason]), [[true, reason]]);
  });
}

test("parallel() aborts the other calls after a promise whose then() throws", async () => {
  const broken = Object.defineProperty({}, "then", {
    value() {
      throw "broken";
    },
  });
  for (const ordered of [true, false]) {
    const signals: AbortSignal[] = [];
    const stage = parallel((n: number, _index, { signal }) => {
      signals.push(signal);
      return n === (ordered ? 1 : 2)
        ? broken as PromiseLike<number>
        : new Promise<number>(() => {});
    }, { concurrency: 3, ordered });
    assertEquals(await errorOf(run([1, 2, 3], stage)), ["broken"]);
    assertEquals(signals.map(({ reason }) => reason), signals.map(() => "broken"));
  }
});

test("parallel() with keys fails with the first failure, though a call before it has not begun", async () => {
  for (const ordered of [true, false]) {
    for (const isThrown of [true, false]) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const began: string[] = [];
      const stage = parallel((chunk: string) => {
        began.push(chunk);
        if (chunk === "b1" && isThrown) throw "b1 failed";
        return chunk === "b1" ? Promise.reject("b1 failed") : promise;
      }, { concurrency: 4, ordered, key: (chunk: string) => chunk[0] });
      const out: string[] = [];
      const source = ReadableStream.from(["a1", "a2", "b1", "c1"]);
      const ended = errorOf((async () => {
        for await (const chunk of source.pipeThrough(new TransformStream(stage))) out.push(chunk);
      })());
      await turns();
      resolve("a1");
      assertEquals([await ended, out], [["b1 failed"], ordered ? ["a1"] : []]);
      assertEquals(began.includes("a2"), false);
    }
  }
});

for (const how of ["thrown", "rejected", "late"] as const) {
  test(`parallel() with stopOnError: false goes on, and fails with all errors at the end, ${how}`, async () => {
    for (
      const options of [{ ordered: true }, { ordered: false }, { key: (n: number) => n % 2 }]
    ) {
      for (const concurrency of [1, 3, Infinity]) {
        const stage = parallel((n: number, _index, { signal }) => {
          signal.throwIfAborted();
          if (n % 3 !== 0) return n;
          if (how === "thrown") throw `no ${n}`;
          return how === "rejected" ? Promise.reject(`no ${n}`) : turns(9 - n).then(() => {
            throw `no ${n}`;
          });
        }, { concurrency, stopOnError: false, ...options });
        const written: number[] = [];
        const job = pipeline([1, 2, 3, 4, 5, 6, 7, 9], stage, (n) => void written.push(n));
        const error = await assertRejects(() => job, AggregateError);
        assertEquals(error.message, "Cannot run parallel: 3 of 8 calls have failed");
        assertEquals(error.errors, ["no 3", "no 6", "no 9"]);
        assertEquals(written.toSorted(), [1, 2, 4, 5, 7]);
        assertEquals(await toArray([1, 2], stage), [1, 2]);
        assertEquals(await toArray([3, 1, 2], stage, take(1)), [1]);
      }
    }
  });
}

test("parallel() with stopOnError: false fails with its source's failure, after what was begun", async () => {
  async function* source() {
    yield* [3, 1];
    await turns();
    throw "the source";
  }
  const stage = parallel(
    (n: number) => n === 3 ? Promise.reject("no 3") : turns(20).then(() => n),
    {
      concurrency: 3,
      stopOnError: false,
    },
  );
  const written: number[] = [];
  const job = pipeline(source(), stage, (n) => void written.push(n));
  assertEquals([await errorOf(job), written], [["the source"], [1]]);
});
