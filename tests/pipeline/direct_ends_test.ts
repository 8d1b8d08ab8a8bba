import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { map, pipeline, take, zip } from "@hosepipe/streams";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { MemoryQueue, numbers } from "../queue/_memory_queue.ts";
import { turns } from "../lib/turns.ts";
import { until } from "../lib/until.ts";

/** A consumer's pipeline by the library's own ends, or by the platform's pipes alone. */
const ways = {
  "past the streams": (source: ReadableStream, stage: object, sink: WritableStream) =>
    pipeline(source, stage as never, sink).then(() => {}),
  "through the streams": (source: ReadableStream, stage: object, sink: WritableStream) =>
    source.pipeThrough(new TransformStream(stage)).pipeTo(sink),
};

for (const [way, run] of Object.entries(ways)) {
  test(`${way}: every message is stored once, and the streams are closed and free`, async () => {
    const queue = new MemoryQueue(numbers(500));
    const consumer = new Consumer(queue, { maxInFlight: 64 });
    const saved: unknown[] = [];
    const source = messages(consumer);
    const sink = stored(consumer, (outputs) => {
      saved.push(...outputs.map(({ value }) => value));
      if (saved.length === 500) consumer.stop();
    }, { batchSize: 10, concurrency: 2 });
    const running = run(source, perMessage(map(Number)), sink);
    assertEquals([source.locked, sink.locked], [true, true]);
    await running;
    assertEquals(saved.sort((a, b) => Number(a) - Number(b)), numbers(500).map(Number));
    assertEquals([queue.acknowledged.length, queue.leased], [500, 0]);
    assertEquals([source.locked, sink.locked], [false, false]);
    const reader = source.getReader();
    await reader.closed;
    assertEquals(await reader.read(), { done: true, value: undefined });
    await sink.getWriter().closed;
  });
}

test("a source that is read past its stream may be cancelled while it waits", async () => {
  const queue = new MemoryQueue();
  const consumer = new Consumer(queue);
  const stop = new AbortController();
  const reason = new Error("enough");
  const running = pipeline(messages(consumer), perMessage(), stored(consumer, () => {}), {
    signal: stop.signal,
  });
  await until(() => queue.asked.length > 0);
  stop.abort(reason);
  assertEquals(await assertRejects(() => running), reason);
  await consumer.close();
  assertEquals(queue.leased, 0);
});

test("a locked stream is not read past", async () => {
  const consumer = new Consumer(new MemoryQueue());
  const source = messages(consumer);
  source.getReader();
  await assertRejects(() => pipeline(source, () => {}), TypeError, "source is locked");
});

test("who awaits what is read past a stream gets it too", async () => {
  const consumer = new Consumer(new MemoryQueue(numbers(3)));
  const pairs: unknown[] = [];
  await pipeline(zip(messages(consumer), ["a", "b", "c"]), ([message, letter]) => {
    pairs.push([message.body, letter]);
  });
  assertEquals(pairs, [["0", "a"], ["1", "b"], ["2", "c"]]);
  await consumer.close();
});

test("a store that is left open has stored all when the run ends", async () => {
  const queue = new MemoryQueue(numbers(5));
  const consumer = new Consumer(queue);
  const saved: unknown[] = [];
  const sink = stored(consumer, async (outputs) => {
    await turns();
    saved.push(...outputs.map(({ value }) => value));
  }, { batchSize: 3, concurrency: 2, maxWaitMs: 100_000 });
  await pipeline(messages(consumer), perMessage(), take(5), sink, { preventClose: true });
  assertEquals(saved.sort(), numbers(5));
  await sink.close();
});
