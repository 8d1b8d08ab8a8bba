import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { distinct } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { reasons } from "../lib/reasons.ts";
import { run } from "../lib/run.ts";

test("distinct() keeps the first chunk of each key, as a Map has keys", async () => {
  assertEquals(await run([1, 2, 1, NaN, NaN, 0, -0, "1"], distinct()), [1, 2, NaN, 0, "1"]);
  assertEquals(await run([], distinct()), []);
  const lengths = distinct({ key: (chunk: string) => chunk.length });
  assertEquals(await run(["a", "b", "cc"], lengths), ["a", "cc"]);
  const later = distinct({ key: (chunk: string) => Promise.resolve(chunk.length) });
  assertEquals(await run(["a", "b", "cc"], later), ["a", "cc"]);
});

test("distinct() fails at one key more than maxKeys, after the chunks before it", async () => {
  const seen: number[] = [];
  const source = new ReadableStream<number>({
    start(controller) {
      for (const n of [1, 2, 1, 2, 3]) controller.enqueue(n);
    },
  });
  const out = source.pipeThrough(new TransformStream(distinct<number>({ maxKeys: 2 })));
  const [error] = await errorOf((async () => {
    for await (const n of out) seen.push(n);
  })()) as [Error];
  assertEquals(error.name, "RangeError");
  assertEquals(error.message, "Cannot tell distinct chunks: there are more than 2 keys");
  assertEquals(await run([1, 2, 1, 2], distinct({ maxKeys: 2 })), [1, 2]);
});

test("distinct() that forgets the oldest lets it pass again, and holds maxKeys keys", async () => {
  const stage = distinct({ maxKeys: 2, atLimit: "forgetOldest" });
  assertEquals(await run([1, 2, 1, 3, 1, 2, 3], stage), [1, 2, 3, 1, 2, 3]);
});

test("one distinct() in two streams knows nothing of the other", async () => {
  const stage = distinct();
  assertEquals(await Promise.all([run([1, 1], stage), run([1, 1], stage)]), [[1], [1]]);
});

test("distinct() gives its key function the index and a signal, and fails with what it throws", async () => {
  const calls: unknown[] = [];
  const key = (chunk: string, index: number, context: { signal: AbortSignal }) =>
    calls.push([chunk, index, context.signal.aborted]);
  await run(["a", "b"], distinct({ key }));
  assertEquals(calls, [["a", 0, false], ["b", 1, false]]);
  for (const { reason } of reasons) {
    const failing = distinct({
      key: () => {
        throw reason;
      },
    });
    assertEquals(await errorOf(run([1], failing)), [reason]);
    assertEquals(await errorOf(run([1], distinct({ key: () => Promise.reject(reason) }))), [
      reason,
    ]);
  }
});

test("distinct() refuses bad options", () => {
  const bad: [unknown, typeof TypeError | typeof RangeError, string][] = [
    [{ key: 5 }, TypeError, "Cannot create distinct: key must be a function, got 5"],
    [{ maxKeys: "5" }, TypeError, "maxKeys must be a positive integer"],
    [{ maxKeys: 0 }, RangeError, "maxKeys must be a positive integer, got 0"],
    [{ atLimit: "drop" }, TypeError, 'atLimit must be "fail" or "forgetOldest", got "drop"'],
    [{ by: 1 }, TypeError, 'unknown option "by"'],
  ];
  for (const [options, type, message] of bad) {
    assertThrows(() => distinct(options as object), type, message);
  }
  distinct({ maxKeys: Infinity, key: undefined, atLimit: undefined });
});

test("distinct() compares by a function, of keys, too, and refuses what is none", async () => {
  const isNear = (a: number, b: number) => Math.abs(a - b) < 2;
  assertEquals(await run([1, 2, 4, 3, 9], distinct({ equals: isNear })), [1, 4, 9]);
  const ofLengths = distinct({ key: (word: string) => word.length, equals: isNear });
  assertEquals(await run(["a", "cccc", "bb"], ofLengths), ["a", "cccc"]);
  assertThrows(
    () => distinct({ equals: 1 as never }),
    TypeError,
    "equals must be a function, got 1",
  );
});
