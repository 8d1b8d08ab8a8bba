import { assertEquals, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { reader } from "@hosepipe/streams/node";
import { errorOf, reasons } from "./errors.ts";
import { settle } from "./virtual_clock.ts";

test("reads iterables, async iterables and functions, whatever the batch", async () => {
  for (const batchSize of [1, 2, 3, 100]) {
    assertEquals(await reader([1, 2, 3, 4, 5], { batchSize }).toArray(), [1, 2, 3, 4, 5]);
    const numbers = async function* () {
      for (const number of [1, 2, 3, 4, 5]) yield await Promise.resolve(number);
    };
    assertEquals(await reader(numbers(), { batchSize }).toArray(), [1, 2, 3, 4, 5]);
    for (const wrap of [<T>(value: T) => value, <T>(value: T) => Promise.resolve(value)]) {
      let next = 0;
      const pages = (size: number) =>
        wrap(next >= 5 ? null : [1, 2, 3, 4, 5].slice(next, next += size));
      assertEquals(await reader(pages, { batchSize }).toArray(), [1, 2, 3, 4, 5]);
    }
  }
});

test("an empty batch means 'none yet'", async () => {
  for (const wrap of [<T>(value: T) => value, <T>(value: T) => Promise.resolve(value)]) {
    const batches = [[], [1], [], [], [2, 3], null];
    assertEquals(await reader(() => wrap(batches.shift())).toArray(), [1, 2, 3]);
    assertEquals(batches, []);
  }
});

test("carries undefined, and refuses null, which would be the end", async () => {
  assertEquals(await reader([undefined, 0, ""]).toArray(), [undefined, 0, ""]);
  const log: unknown[] = [];
  const source = function* () {
    try {
      yield null;
    } finally {
      log.push("closed");
    }
  };
  for (const given of [source(), () => [null]]) {
    const stream = reader<null>(given);
    const error = errorOf(stream);
    stream.resume();
    assertEquals(
      (await error as Error).message,
      "Cannot read: a node stream cannot carry null, which is its end",
    );
  }
  assertEquals(log, ["closed"]);
});

test("asks an async source for one chunk at a time, even in the midst of a batch", async () => {
  let asked = 0;
  let given = 0;
  const mostAsked: number[] = [];
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: async (): Promise<IteratorResult<number>> => {
        mostAsked.push(++asked - given);
        await settle();
        given++;
        return given <= 7 ? { done: false, value: given } : { done: true, value: undefined };
      },
    }),
  };
  const stream = reader(source, { batchSize: 3, highWaterMark: 5 });
  assertEquals(await stream.toArray(), [1, 2, 3, 4, 5, 6, 7]);
  assertEquals(Math.max(...mostAsked), 1);
});

test("destroying it closes an idle source, and aborts a function's signal, with the reason", async () => {
  for (const reason of reasons) {
    const told: unknown[] = [];
    const idle = reader({
      [Symbol.iterator]: () => ({
        next: () => ({ done: false, value: 1 }),
        return: (value: unknown) => {
          told.push(value);
          return { done: true, value: undefined };
        },
      }),
    });
    const stalled = reader((_, { signal }) => {
      signal.addEventListener("abort", () => told.push(signal.reason));
      return new Promise<never>(() => {});
    });
    for (const stream of [idle, stalled]) {
      stream.on("error", () => {});
      stream.read();
      await settle();
      // What `fromNode` and `pipeline` do with any reason; node itself has no falsy ones.
      if (reason) stream.destroy(reason as Error);
      else stream.destroy();
      await settle();
      assertEquals(stream.closed, true);
    }
    assertStrictEquals(told[0], reason || undefined);
    if (reason) assertStrictEquals(told[1], reason);
    assertEquals(told.length, 2);
  }
});

test("destroying it while an async source is stalled does not wait for it", async () => {
  let returned = 0;
  const stream = reader({
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<IteratorResult<number>>(() => {}),
      return: () => {
        returned++;
        return new Promise<IteratorResult<number>>(() => {});
      },
    }),
  });
  stream.resume();
  await settle();
  stream.destroy();
  await settle();
  assertEquals([stream.closed, returned], [true, 1]);
});

test("fails with what the source throws, at once or later, after the chunks before it", async () => {
  for (const reason of reasons) {
    const sources = [
      function* () {
        yield 1;
        throw reason;
      }(),
      async function* () {
        yield await Promise.resolve(1);
        throw reason;
      }(),
    ];
    for (const source of sources) {
      const chunks: unknown[] = [];
      const stream = reader(source as Iterable<number>);
      const error = errorOf(stream);
      stream.on("data", (chunk) => chunks.push(chunk));
      assertStrictEquals(await error, reason);
      assertEquals(chunks, [1]);
    }
    const later = reader(() => Promise.reject(reason));
    const error = errorOf(later);
    later.resume();
    assertStrictEquals(await error, reason);
  }
});
