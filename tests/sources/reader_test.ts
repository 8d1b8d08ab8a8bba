import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { interval, peek, reader, type ReaderSource, toArray } from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

/** Endless numbers that count what is taken of them, and keep what they are closed with. */
function endless() {
  const record = { taken: 0, closedWith: [] as unknown[] };
  const next = () => ({ done: false as const, value: record.taken++ });
  const close = (reason?: unknown) => {
    record.closedWith.push(reason);
    return { done: true as const, value: undefined };
  };
  const iterable: Iterable<number> = { [Symbol.iterator]: () => ({ next, return: close }) };
  const asyncIterable: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve(next()),
      return: (reason) => Promise.resolve(close(reason)),
    }),
  };
  const batches = (size: number) => Array.from({ length: size }, () => record.taken++);
  const asyncBatches = (size: number) => Promise.resolve(batches(size));
  return { record, sources: { iterable, asyncIterable, batches, asyncBatches } };
}

const kinds = ["iterable", "asyncIterable", "batches", "asyncBatches"] as const;

for (const kind of kinds) {
  test(`reader() pulls ${kind} on demand only`, async () => {
    for (const [highWaterMark, batchSize] of [[0, 1], [1, 1], [4, 1], [0, 3], [1, 3], [4, 3]]) {
      const { record, sources } = endless();
      const options = { highWaterMark: highWaterMark!, batchSize: batchSize! };
      const defaultReader = reader<number>(sources[kind], options).getReader();
      const roundUp = (count: number) => Math.ceil(count / batchSize!) * batchSize!;
      await turns();
      assertEquals(record.taken, roundUp(highWaterMark!), "before a read");
      for (let value = 0; value < 5; value++) {
        assertEquals(await defaultReader.read(), { done: false, value });
      }
      await turns();
      assertEquals(record.taken, roundUp(5 + highWaterMark!), "after 5 reads");
      await defaultReader.cancel();
      await turns();
      assertEquals(record.taken, roundUp(5 + highWaterMark!), "after cancel");
    }
  });

  test(`reader() counts its queue of ${kind} by size()`, async () => {
    const { record, sources } = endless();
    const options = { highWaterMark: 10, size: () => 5 };
    const readable = reader<number>(sources[kind], options);
    await turns();
    assertEquals(record.taken, 2);
    await readable.cancel();
  });

  test(`reader() of ${kind} fails when size() throws`, async () => {
    const { record, sources } = endless();
    const size = () => {
      throw undefined;
    };
    const readable = reader<number>(sources[kind], { highWaterMark: 1, size });
    // A chunk that a read waits for is never counted.
    await turns();
    assertEquals(await errorOf(readable.getReader().read()), [undefined]);
    await turns();
    const isIterable = kind === "iterable" || kind === "asyncIterable";
    assertEquals([record.taken, record.closedWith.length], [1, isIterable ? 1 : 0]);
  });
}

test("reader() ignores a chunk or batch that comes after cancel", async () => {
  for (const kind of ["asyncIterable", "asyncBatches"] as const) {
    const defaultReader = reader<number>(endless().sources[kind], { highWaterMark: 0 }).getReader();
    const read = defaultReader.read();
    await defaultReader.cancel();
    assertEquals(await read, { done: true, value: undefined });
    await turns();
  }
  await withTimerCount(async (pending) => {
    const batch = Promise.withResolvers<number[]>();
    let asked = 0;
    const defaultReader = reader<number>(() => (asked++, batch.promise), { highWaterMark: 0 })
      .getReader();
    const read = defaultReader.read();
    while (asked === 0) await Promise.resolve();
    await defaultReader.cancel();
    batch.resolve([1, 2]);
    for (let n = 0; n < 20; n++) await Promise.resolve();
    assertEquals([(await read).done, asked, pending()], [true, 1, 0]);
  });
});

test("reader() tells a function the batch size, and aborts its signal with the reason", async () => {
  const seen: [size: number, signal: AbortSignal][] = [];
  const readable = reader((size, { signal }) => {
    seen.push([size, signal]);
    return new Promise<number[]>(() => {});
  }, { batchSize: 7 });
  const defaultReader = readable.getReader();
  const read = defaultReader.read();
  await turns();
  const [[size, signal]] = seen as [[number, AbortSignal]];
  assertEquals([seen.length, size, signal.aborted], [1, 7, false]);
  await defaultReader.cancel("enough");
  assertEquals([signal.aborted, signal.reason], [true, "enough"]);
  await read;
});

test("reader() enqueues a batch whole, beyond the high-water mark", async () => {
  let calls = 0;
  const readable = reader(() => ++calls <= 2 ? [1, 2, 3, 4] : null, { highWaterMark: 2 });
  await turns();
  const defaultReader = readable.getReader();
  assertEquals(calls, 1);
  await defaultReader.read();
  await defaultReader.read();
  await turns();
  assertEquals(calls, 1);
  await defaultReader.read();
  await turns();
  assertEquals(calls, 2);
});

test("reader() asks again after an empty batch, without blocking, until cancelled", async () => {
  await withTimerCount(async (pending) => {
    let calls = 0;
    const readable = reader<number>(() => {
      calls++;
      return [];
    });
    await turns();
    assertEquals(calls > 1, true);
    await readable.cancel();
    assertEquals(pending(), 0);
    const before = calls;
    await turns();
    assertEquals(calls, before);
  });
});

for (const error of [new Error("broken"), undefined]) {
  test(`reader() fails with what its source throws: ${error}`, async () => {
    const throwError = () => {
      throw error;
    };
    const sources: ReaderSource<number>[] = [
      { [Symbol.iterator]: () => ({ next: throwError }) },
      { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) },
      throwError,
      () => Promise.reject(error),
    ];
    for (const source of sources) {
      assertEquals(await errorOf(reader(source).getReader().read()), [error]);
    }
  });

  test(`reader() fails to cancel with what the iterator's return() throws: ${error}`, async () => {
    const readable = reader({
      [Symbol.iterator]: () => ({
        next: () => ({ done: false, value: 1 }),
        return() {
          throw error;
        },
      }),
    });
    assertEquals(await errorOf(readable.cancel()), [error]);
  });
}

test("reader() refuses a chunk in the place of a batch", async () => {
  for (
    const [batch, shown] of [["text", '"text"'], [new Uint8Array(2), "a Uint8Array"], [
      5,
      "5",
    ]] as const
  ) {
    const [error] = await errorOf(reader(() => batch as never).getReader().read()) as [TypeError];
    const need = "a batch must be an iterable of chunks, null or undefined";
    assertEquals([error.constructor, error.message], [
      TypeError,
      `Cannot read from source: ${need}, got ${shown}`,
    ]);
  }
});

test("reader() refuses what is no result of an iterator", async () => {
  for (const bad of [5, undefined, null]) {
    for (const method of [Symbol.iterator, Symbol.asyncIterator]) {
      const source = { [method]: () => ({ next: () => bad }) } as unknown as Iterable<number>;
      const [error] = await errorOf(reader(source).getReader().read()) as [Error];
      assertEquals(
        String(error),
        `TypeError: Cannot read from source: next() must give an object, got ${bad}`,
      );
    }
  }
});

test("what the return() of a synchronous iterator answers is not waited for", async () => {
  const iterable = {
    [Symbol.iterator]: () => ({
      next: () => ({ done: false, value: 1 }),
      return: () => ({ then: (_: unknown, reject: (reason: unknown) => void) => reject("why") }),
    }),
  };
  const stream = reader(iterable as unknown as Iterable<number>).getReader();
  assertEquals((await stream.read()).value, 1);
  await stream.cancel();
});

test("interval() ticks on demand: no timer is set while nothing reads", async () => {
  await using time = virtualTime();
  const reader = interval(100).getReader();
  await time.advance(1000);
  assertEquals(time.timers, 0);
  const seen: [n: number, atMs: number][] = [];
  for (let n = 0; n < 3; n++) {
    const read = reader.read().then(({ value }) => seen.push([value!, time.now]));
    await time.advance(100);
    await read;
  }
  assertEquals(seen, [[0, 1100], [1, 1200], [2, 1300]]);
  assertEquals(time.timers, 0);
  await reader.cancel();
});

test("interval() misses the ticks that were not read, and gives the latest at once", async () => {
  await using time = virtualTime();
  const reader = interval(100).getReader();
  const first = reader.read();
  await time.advance(100);
  assertEquals((await first).value, 0);
  await time.advance(450);
  assertEquals((await reader.read()).value, 4);
  const next = reader.read();
  await time.advance(49);
  assertEquals(time.timers, 1);
  await time.advance(1);
  assertEquals((await next).value, 5);
});

test("interval() that is cancelled leaves no timer, and ends the read that waits", async () => {
  await using time = virtualTime();
  const reader = interval(100).getReader();
  const read = reader.read();
  await time.advance(10);
  assertEquals(time.timers, 1);
  await reader.cancel();
  assertEquals([time.timers, await read], [0, { done: true, value: undefined }]);
});

test("peek() reads one chunk where no number is given, and takes undefined as a chunk", async () => {
  const { chunks, source } = await peek([undefined, 1]);
  assertEquals([chunks, await toArray(source)], [[undefined], [undefined, 1]]);
});

test("what peek() returns is given up by await using, unless it has ended", async () => {
  const source = countedSource();
  const unhandled = collectUnhandled();
  let kept!: ReadableStream<number>;
  {
    await using head = await peek(source.readable, 2);
    kept = head.source;
  }
  assertEquals([source.readCount, source.cancelReasons.length], [2, 1]);
  await assertRejects(() => toArray(kept), DOMException, "the source was disposed of");
  const three = countedSource({ length: 3 });
  {
    await using head = await peek(three.readable, 2);
    assertEquals(await toArray(head.source), [0, 1, 2]);
  }
  assertEquals(three.cancelReasons, []);
  // A read that hangs is ended, too.
  const stalling = countedSource({ length: 1, atEnd: "stall" });
  const head = await peek(stalling.readable);
  const reader = head.source.getReader();
  await reader.read();
  const read = errorOf(reader.read());
  await head[Symbol.asyncDispose]();
  assertEquals(((await read) as [Error])[0].name, "AbortError");
  await head[Symbol.asyncDispose]();
  await turns(2);
  assertEquals(unhandled.take(), []);
  unhandled.close();
});

test("peek() refuses what is no source, is locked, or no number of chunks", async () => {
  const locked = new ReadableStream();
  locked.getReader();
  await assertRejects(() => peek(5 as never), TypeError, "Cannot peek: source must be a Readable");
  await assertRejects(() => peek(locked), TypeError, "source is locked");
  const untouched = countedSource();
  await assertRejects(
    () => peek(untouched.readable, 0),
    RangeError,
    "n must be a positive integer",
  );
  await assertRejects(() => peek(untouched.readable, "1" as never), TypeError, "n must be a posi");
  assertEquals(untouched.readable.locked, false);
});
