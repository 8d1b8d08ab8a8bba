import { test } from "node:test";
import { assertEquals, assertStrictEquals } from "@std/assert";
import { isStream } from "../../src/source/find_source.ts";
import { openStream } from "../../src/source/open_source.ts";
import { sourceIterator } from "../../src/source/source_iterator.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";

test("a stream is what gives a reader, of whatever realm or library", () => {
  for (const value of [new ReadableStream(), { getReader() {} }]) {
    assertEquals(isStream(value), true);
  }
  const callable = Object.assign(() => {}, { getReader() {} });
  for (const value of [null, undefined, 5, {}, { getReader: 1 }, callable]) {
    assertEquals(isStream(value), false);
  }
});

test("an iterator gives a stream's chunks, then lets go of it", async () => {
  const stream = from([1, undefined, 3]);
  const iterator = sourceIterator(openStream(stream));
  assertEquals(stream.locked, true);
  for (const value of [1, undefined, 3]) {
    assertEquals(await iterator.next(), { done: false, value });
    assertEquals(stream.locked, true);
  }
  assertEquals(await iterator.next(), { done: true, value: undefined });
  assertEquals(stream.locked, false);
});

test("an iterator fails as its stream does, and lets go of it", async () => {
  const failure = new Error("on purpose");
  const stream = new ReadableStream({
    pull() {
      throw failure;
    },
  }, { highWaterMark: 0 });
  const iterator = sourceIterator(openStream(stream));
  assertEquals([await errorOf(iterator.next()), stream.locked], [[failure], false]);
});

test("an iterator that is closed cancels its stream with the reason, waits for that, and lets go at once", async () => {
  for (const isFailing of [false, true]) {
    const reasons: unknown[] = [];
    const answer = Promise.withResolvers<void>();
    const stream = new ReadableStream({
      cancel(reason) {
        reasons.push(reason);
        return answer.promise;
      },
    });
    const reason = new Error("enough");
    const closing = sourceIterator(openStream(stream)).return!(reason as never);
    assertEquals([stream.locked, reasons.length], [false, 1]);
    assertStrictEquals(reasons[0], reason);
    let isOver = false;
    const outcome = errorOf(closing).finally(() => isOver = true);
    for (let tick = 0; tick < 20; tick++) await undefined;
    assertEquals(isOver, false);
    if (isFailing) answer.reject(reason);
    else answer.resolve();
    assertEquals(await outcome, isFailing ? [reason] : "none");
    if (!isFailing) assertEquals(await closing, { done: true, value: undefined });
  }
});
