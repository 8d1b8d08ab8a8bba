import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { Consumer, messages, stored } from "@hosepipe/streams/queue";
import { turns } from "../lib/turns.ts";
import { holdReceived, MemoryQueue, numbers } from "./_memory_queue.ts";
import { until } from "../lib/until.ts";

const none = () => {};
/** No test waits for so long: what happens, happens before. */
const never = 600_000;

test("nothing is asked for before a message is read", async () => {
  const queue = new MemoryQueue(numbers(3));
  const consumer = new Consumer(queue);
  const stream = messages(consumer);
  await turns(3);
  assertEquals(queue.asked, []);
  const reader = stream.getReader();
  const { value } = await reader.read();
  assertEquals([value?.id, value?.body, value?.deliveries, value?.failures], ["0", "0", 1, 0]);
  await reader.cancel();
  await consumer.close();
});

test("a reader that cancels, with no store behind it, gives back what it has read, too", async () => {
  const queue = new MemoryQueue(numbers(5));
  const consumer = new Consumer(queue, { drainMs: never });
  const reader = messages(consumer).getReader();
  await reader.read();
  await reader.read();
  assertEquals(queue.leased, 5);
  await reader.cancel("enough");
  await consumer.close();
  assertEquals([queue.leased, queue.nacked.toSorted()], [0, numbers(5)]);
  assertEquals([...queue.entries.values()].map(({ deliveries }) => deliveries), [0, 0, 0, 0, 0]);
});

test("a reader that cancels leaves what it has read to the store, if there is one", async () => {
  const queue = new MemoryQueue(numbers(5));
  const consumer = new Consumer(queue, { drainMs: never });
  const store = stored(consumer, none);
  const reader = messages(consumer).getReader();
  await reader.read();
  await reader.cancel();
  await until(() => queue.nacked.length === 4);
  await turns(3);
  assertEquals([queue.nacked, queue.leased], [["1", "2", "3", "4"], 1]);
  await store.abort();
  await consumer.close();
  assertEquals([queue.leased, queue.entries.size], [0, 5]);
});

test("a stop ends the stream, for a read that waits and for those after it", async () => {
  const queue = new MemoryQueue(["a"]);
  const consumer = new Consumer(queue);
  const reader = messages(consumer).getReader();
  assertEquals((await reader.read()).value?.body, "a");
  const waiting = reader.read();
  await until(() => queue.asked.length === 2);
  consumer.stop();
  assertEquals(await waiting, { done: true, value: undefined });
  assertEquals(await reader.read(), { done: true, value: undefined });
  await reader.closed;
});

test("a message that arrives after the cancel is given back", async () => {
  const queue = new MemoryQueue(numbers(2));
  const gate = holdReceived(queue);
  const consumer = new Consumer(queue, { drainMs: never });
  const reader = messages(consumer).getReader();
  const waiting = reader.read();
  await until(() => queue.leased === 2);
  const cancelled = reader.cancel();
  gate.resolve();
  await cancelled;
  assertEquals((await waiting).done, true);
  await consumer.close();
  assertEquals([queue.leased, queue.nacked], [0, ["0", "1"]]);
});
