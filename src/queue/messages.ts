import { setDirectRead } from "../source/direct_read.ts";
import { type Consumer, partsOf } from "./consumer.ts";
import type { Message } from "./message.ts";

const taken = new WeakSet<object>();

/**
 * The messages of a consumer, as the source of a pipeline. A message is leased only if there is room for it among the
 * consumer's `maxInFlight`; messages that are leased and not begun are given back when the consumer stops.
 *
 * Stages between it and `perMessage` must let every message through: a message they drop stays leased until the
 * consumer stops.
 *
 * @typeParam T The type of a message's body.
 * @param consumer The consumer whose messages are read; it has only one reader.
 * @returns A stream that ends once the consumer is stopped.
 * @throws {TypeError} If `consumer` is not one, or its messages are read already.
 *
 * @example The first message
 * ```ts
 * import { Consumer, messages } from "@hosepipe/streams/queue";
 * import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
 * import { DatabaseSync } from "node:sqlite";
 * import assert from "node:assert/strict";
 *
 * const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "jobs" });
 * await queue.send(["a", "b"]);
 *
 * const consumer = new Consumer(queue);
 * const reader = messages(consumer).getReader();
 * const { value } = await reader.read();
 * assert.deepEqual([value?.body, value?.deliveries], ["a", 1]);
 *
 * await reader.cancel();
 * await consumer.close();
 * assert.deepEqual(await queue.depth(), { waiting: 2, leased: 0, dead: 0 });
 * ```
 */
export function messages<T>(consumer: Consumer<T>): ReadableStream<Message<T>> {
  const { receiver, ledger } = partsOf("read messages", consumer);
  if (taken.has(consumer)) {
    throw new TypeError("Cannot read messages: consumer has a reader already");
  }
  taken.add(consumer);
  let open: ReadableStreamDefaultController<Message<T>> | undefined;
  const close = () => open?.close();
  const stream = new ReadableStream<Message<T>>({
    start(controller) {
      open = controller;
    },
    pull(controller) {
      const give = (message: Message<unknown> | undefined) => {
        if (message === undefined) close();
        else if (open !== undefined) controller.enqueue(message as Message<T>);
      };
      const next = receiver.next();
      return next instanceof Promise ? next.then(give) : give(next);
    },
    cancel() {
      open = undefined;
      consumer.stop();
      // With no store at the end, nothing finishes messages.
      if (ledger.onAbandon === undefined) void ledger.nackRest();
    },
  }, { highWaterMark: 0 });
  const toResult = (message: object | undefined) => {
    if (message !== undefined) return { done: false, value: message };
    close();
    return { done: true, value: undefined };
  };
  setDirectRead(stream, {
    next() {
      const next = receiver.next();
      return next instanceof Promise ? next.then(toResult) : toResult(next);
    },
  });
  return stream;
}
