import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { testSource } from "@hosepipe/streams/testing";
import { concat } from "../../src/sources/concat.ts";
import { drain, reasons } from "./_sources.ts";
import { counted, kinds } from "../lib/counted.ts";
import { turns } from "../lib/turns.ts";

for (const kind of kinds) {
  test(`concat() gives one ${kind} source after the other, each read on demand`, async () => {
    const sources = [counted(kind, 2), counted(kind, 0), counted(kind, 2, { first: 10 })];
    const reader = concat(...sources.map(({ source }) => source)).getReader();
    const reads = () => sources.map(({ reads }) => reads);
    await turns();
    assertEquals(reads(), [0, 0, 0]);
    assertEquals((await reader.read()).value, 0);
    await turns();
    assertEquals(reads(), [1, 0, 0]);
    assertEquals((await reader.read()).value, 1);
    assertEquals((await reader.read()).value, 10);
    assertEquals(reads(), [3, 1, 1]);
    assertEquals((await reader.read()).value, 11);
    assertEquals((await reader.read()).done, true);
    assertEquals(sources.map(({ cancels }) => cancels), [0, 0, 0]);
  });
}

test("concat() opens by a function when its turn comes, which may be a promise", async () => {
  const calls: number[] = [];
  const open = (n: number) => () => {
    calls.push(n);
    return n === 2 ? Promise.resolve([n, n]) : [n];
  };
  const reader = concat(open(1), open(2), open(3)).getReader();
  await turns();
  assertEquals(calls, []);
  assertEquals((await reader.read()).value, 1);
  assertEquals(calls, [1]);
  assertEquals((await reader.read()).value, 2);
  assertEquals((await reader.read()).value, 2);
  assertEquals(calls, [1, 2]);
  await reader.cancel();
  assertEquals(calls, [1, 2]);
});

test("cancelling concat() reaches the open source and those after it, not those before", async () => {
  const sources = [counted("stream", 1), counted("async"), counted("stream"), counted("sync")];
  const reader = concat(...sources.map(({ source }) => source)).getReader();
  await reader.read();
  await reader.read();
  await reader.cancel("why");
  assertEquals(sources.map(({ cancels }) => cancels), [0, 1, 1, 1]);
});

test("a source that opens only after concat() was cancelled is cancelled too", async () => {
  const opening = Promise.withResolvers<ReadableStream<number>>();
  const late = testSource<number>();
  const reader = concat(() => opening.promise).getReader();
  const read = reader.read();
  await turns();
  await reader.cancel("why");
  assertEquals((await read).done, true);
  opening.resolve(late.readable);
  await turns();
  assertEquals([await late.cancelled, late.pulls], ["why", 0]);
});

test("concat() fails with what a function throws, rejects with, or opens that is no source", async () => {
  for (const reason of reasons) {
    const thrower = () => {
      throw reason;
    };
    const after = counted("stream");
    assertEquals((await drain(concat(thrower, after.source))).error, [reason]);
    assertEquals((await drain(concat(() => Promise.reject(reason)))).error, [reason]);
    assertEquals(after.cancels, 1);
  }
  const { error } = await drain(concat([1], () => 5 as never));
  assertEquals(
    String(error[0]),
    "TypeError: Cannot create concat: what sources[1] opens must be a ReadableStream, an iterable, " +
      "an async iterable, a Blob, a Response or a Request, got 5",
  );
  const locked = new ReadableStream<number>();
  locked.getReader();
  assertEquals(String((await drain(concat(() => locked))).error[0]).includes("locked"), true);
});

test("cancelling concat() while a source is opened never asks that source for a chunk", async () => {
  const opening = Promise.withResolvers<AsyncIterable<number>>();
  let nexts = 0;
  let isOpening = false;
  const reader = concat(() => {
    isOpening = true;
    return opening.promise;
  }).getReader();
  const read = reader.read();
  while (!isOpening) await Promise.resolve();
  await reader.cancel("why");
  opening.resolve({
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false, value: nexts++ }),
    }),
  });
  await turns();
  assertEquals([(await read).done, nexts], [true, 0]);
});

test("concat() lets go of a stream that has ended, or failed, and takes an iterable with a body", async () => {
  const reason = new Error("why");
  const streams = [false, true].map((fails) =>
    new ReadableStream<number>({
      start(controller) {
        controller.enqueue(1);
        if (!fails) controller.close();
      },
      pull: (controller) => controller.error(reason),
    }, { highWaterMark: 0 })
  );
  const odd = Object.assign([5], { body: streams[0] });
  assertEquals(await drain(concat(odd, ...streams)), {
    ...{ chunks: [5, 1, 1], error: [reason] },
  });
  assertEquals(streams.map(({ locked }) => locked), [false, false]);
});

test("cancelling concat() at any moment cancels what it is just opening, and what comes after", async () => {
  for (let steps = 0; steps < 12; steps++) {
    for (const isOpener of [false, true]) {
      const [current, later] = [counted("stream"), counted("stream")];
      let isOpened = !isOpener;
      const open = () => {
        isOpened = true;
        return current.source;
      };
      const reader = concat([], isOpener ? open : current.source, later.source).getReader();
      const read = reader.read();
      for (let step = 0; step < steps; step++) await undefined;
      await reader.cancel("why");
      await read;
      await turns();
      assertEquals([current.cancels, later.cancels], [isOpened ? 1 : 0, 1], `${steps} steps`);
    }
  }
});
