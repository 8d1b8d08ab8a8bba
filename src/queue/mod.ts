/**
 * Moves messages from a queue to a store without losing any, with any number of processes: messages are leased, run
 * through stages, stored in batches and acknowledged.
 *
 * ```ts
 * import { map, pipeline } from "@hosepipe/streams";
 * import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
 * import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
 * import { DatabaseSync } from "node:sqlite";
 * import assert from "node:assert/strict";
 *
 * const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "orders" });
 * await queue.send(["1", "2"]);
 *
 * const store = new Map<string, number>();
 * const consumer = new Consumer(queue);
 * await pipeline(
 *   messages(consumer),
 *   perMessage(map(Number)),
 *   stored(consumer, (outputs) => {
 *     for (const { key, value } of outputs) store.set(key, value);
 *     consumer.stop();
 *   }),
 * );
 *
 * assert.deepEqual([...store.values()], [1, 2]);
 * ```
 *
 * @module
 */

export { Consumer, type ConsumerCounts, type ConsumerOptions } from "./consumer.ts";
export type { ConsumerEvent } from "./ledger.ts";
export type {
  DeadLetter,
  DeadLetterListOptions,
  DeadLetters,
  Delivery,
  OpenOptions,
  QueueDepth,
  QueueSource,
  Receipt,
  ReceiveOptions,
  SendOptions,
} from "./queue_source.ts";
export type { Message } from "./message.ts";
export { messages } from "./messages.ts";
export type { Output } from "./output.ts";
export { perMessage } from "./per_message.ts";
export type { StagesAfter } from "../fuse/compose_types.ts";
export type { PerMessage } from "./per_message_signatures.ts";
export type { PerMessageArguments, PerMessageOptions } from "./per_message_types.ts";
export { type SaveContext, stored, type StoredOptions } from "./stored.ts";
export type { FailableSpan } from "../fail_span.ts";
export {
  type SaveLink,
  type SaveSpan,
  type SaveTracer,
  traceSave,
  type TraceSaveOptions,
} from "./trace_save.ts";
