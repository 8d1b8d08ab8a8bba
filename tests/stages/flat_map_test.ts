import { test } from "node:test";
import { assertEquals, assertInstanceOf } from "@std/assert";
import { pipeline } from "../../src/pipeline/pipeline.ts";
import { flatMap } from "../../src/stages/flat_map.ts";
import { take } from "../../src/stages/take.ts";
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

test("flatMap() flattens arrays, iterables, async iterables and promises of them", async () => {
  const results: Record<string, () => unknown> = {
    array: () => [1, 2],
    none: () => [],
    set: () => new Set([3, 4]),
    generator: function* () {
      yield 5;
      yield 6;
    },
    asyncGenerator: async function* () {
      yield 7;
      await Promise.resolve();
      yield 8;
    },
    promise: () => Promise.resolve([9]),
    promisedAsync: () => Promise.resolve(from([10, 11])),
  };
  const stage = flatMap((kind: string) => results[kind]!() as Iterable<unknown>);
  const expected = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  assertEquals(await run(Object.keys(results), stage), expected);
});

test("flatMap() refuses what is no result of an iterator, of a sync one as of an async one", async () => {
  for (const bad of [5, undefined, null, "text"]) {
    for (const method of [Symbol.iterator, Symbol.asyncIterator]) {
      let closed = 0;
      const iterator = { next: () => bad, return: () => void closed++ };
      const stage = flatMap(() => ({ [method]: () => iterator }) as unknown as Iterable<number>);
      const [error] = await errorOf(run([1], stage)) as [Error];
      assertInstanceOf(error, TypeError);
      const shown = bad === "text" ? '"text"' : bad;
      const message = `Cannot flatten a chunk: next() must give an object, got ${shown}`;
      assertEquals([error.message, closed], [message, 0]);
    }
  }
  // A function is an object.
  const result = Object.assign(() => {}, { done: true });
  const ended = flatMap(() => ({ [Symbol.iterator]: () => ({ next: () => result }) }) as never);
  assertEquals(await run([1], ended), []);
});

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

for (const error of [new Error("broken"), undefined]) {
  test(`flatMap() fails with what its function or iterator throws: ${error}`, async () => {
    const failing: (() => unknown)[] = [
      () => {
        throw error;
      },
      () => Promise.reject(error),
      () => ({
        [Symbol.iterator]() {
          throw error;
        },
      }),
      async function* () {
        yield 0;
        throw await error;
      },
      function* () {
        yield 1;
        yield 2;
        throw error;
      },
    ];
    for (const fn of failing) {
      assertEquals(await errorOf(run([1], flatMap(fn as () => Iterable<unknown>))), [error]);
    }
  });
}

test("flatMap() closes the iterator when the queue's size() throws", async () => {
  for (const kind of ["iterable", "asyncIterable"] as const) {
    const { counts, [kind]: numbers } = endless();
    const size = () => {
      throw "size";
    };
    const { readable, writable } = new TransformStream(flatMap(() => numbers), undefined, {
      highWaterMark: 1,
      size,
    });
    const defaultWriter = writable.getWriter();
    assertEquals(await errorOf(defaultWriter.write(0)), ["size"]);
    assertEquals(await errorOf(readable.getReader().read()), ["size"]);
    assertEquals([await errorOf(defaultWriter.closed), counts.closed], [["size"], 1]);
  }
});

test("flatMap() says what its function should have returned", async () => {
  const [error] = await errorOf(run([1], flatMap(() => 5 as never))) as [TypeError];
  assertEquals([error.constructor, error.message], [
    TypeError,
    "Cannot flatten a chunk: the result of fn must be an iterable or an async iterable, got 5",
  ]);
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

test("flatMap() reads several iterables at a time, each one chunk ahead, in order or as they come", async () => {
  for (const ordered of [true, false]) {
    const sources = [0, 1, 2].map(() => {
      const { fn, calls } = held<IteratorResult<string>, []>();
      return { calls, iterable: { [Symbol.asyncIterator]: () => ({ next: fn }) } };
    });
    const out: string[] = [];
    const stage = flatMap((n: number) => sources[n]!.iterable, { concurrency: 2, ordered });
    const ended = errorOf(pipeline([0, 1, 2], stage, (chunk) => void out.push(chunk)));
    await turns();
    assertEquals(sources.map(({ calls }) => calls.length), [1, 1, 0]);
    sources[1]!.calls[0]!.resolve({ done: false, value: "b" });
    await turns();
    assertEquals(sources.map(({ calls }) => calls.length), ordered ? [1, 1, 0] : [1, 2, 0]);
    assertEquals(out, ordered ? [] : ["b"]);
    sources[0]!.calls[0]!.resolve({ done: false, value: "a" });
    await turns();
    sources[0]!.calls[1]!.resolve({ done: true, value: undefined });
    await turns();
    assertEquals(sources.map(({ calls }) => calls.length), [2, 2, 1]);
    sources[2]!.calls[0]!.resolve({ done: true, value: undefined });
    sources[1]!.calls[1]!.resolve({ done: true, value: undefined });
    assertEquals(await ended, "none");
    assertEquals(out, ordered ? ["a", "b"] : ["b", "a"]);
  }
});

test("flatMap(), several at a time, closes what it reads when it ends early or fails", async () => {
  const { counts, asyncIterable } = endless();
  // None gives before all three are open, however late a busy machine lets that be.
  const allOpen = Promise.withResolvers<void>();
  let openCount = 0;
  const open = (): AsyncIterator<number> => {
    if (++openCount === 3) allOpen.resolve();
    const iterator = asyncIterable[Symbol.asyncIterator]();
    return { ...iterator, next: () => allOpen.promise.then(() => iterator.next()) };
  };
  const stage = flatMap((_: number) => ({ [Symbol.asyncIterator]: open }), { concurrency: 3 });
  await pipeline([1, 2, 3, 4], stage, take(2), () => {});
  assertEquals([openCount, counts.closed], [3, 3]);
  const other = endless();
  const failing = flatMap((n: number) => {
    if (n === 2) throw "no second";
    return other.iterable;
  }, { concurrency: 2, ordered: false });
  assertEquals(await errorOf(pipeline([1, 2], failing, () => {})), ["no second"]);
  assertEquals(other.counts.closed, 1);
});
