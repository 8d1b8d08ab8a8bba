import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { ChannelBuffer } from "../../src/sources/channel_buffer.ts";
import { settledWithin } from "../lib/settled_within.ts";

test("chunks come in the order of sending, those of waiting senders behind the queue", async () => {
  const buffer = new ChannelBuffer<string>(2);
  assertEquals([buffer.isEmpty, buffer.hasRoom], [true, true]);
  buffer.add("a", 1);
  buffer.add("b", 1);
  assertEquals([buffer.isEmpty, buffer.hasRoom], [false, false]);
  const third = buffer.addSender("c", 1);
  const fourth = buffer.addSender("d", 1);
  assertEquals((await settledWithin(third, 3)).state, "pending");
  assertEquals(buffer.take(), "a");
  await third;
  assertEquals((await settledWithin(fourth, 3)).state, "pending");
  assertEquals([buffer.take(), buffer.take(), buffer.take()], ["b", "c", "d"]);
  await fourth;
  assertEquals(buffer.isEmpty, true);
});

test("without a mark a sender's chunk is taken though there is never room", async () => {
  const buffer = new ChannelBuffer<string>(0);
  const sent = buffer.addSender("a", 1);
  assertEquals([buffer.isEmpty, buffer.hasRoom, buffer.take()], [false, false, "a"]);
  await sent;
  assertEquals(buffer.hasRoom, false);
});

test("what fractions leave behind is not counted once the queue is empty", () => {
  const buffer = new ChannelBuffer<number>(0.3);
  for (const size of [0.1, 0.2, 0.3]) buffer.add(size, size);
  assertEquals([buffer.take(), buffer.take(), buffer.hasRoom], [0.1, 0.2, false]);
  assertEquals([buffer.take(), buffer.hasRoom], [0.3, true]);
});

test("what is dropped is gone, and its senders are refused with the reason", async () => {
  const buffer = new ChannelBuffer<string>(1);
  buffer.add("a", 1);
  const sent = buffer.addSender("b", 1);
  buffer.drop("over");
  assertEquals([buffer.isEmpty, buffer.hasRoom], [true, true]);
  assertEquals(await sent.catch((reason) => reason), "over");
});
