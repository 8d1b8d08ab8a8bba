import { longestDelayMs } from "../check_delay.ts";
import { checkFunction, checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { setEndMeaning } from "../kernels/end_meaning.ts";
import { BatchWriter } from "./batch_writer.ts";
import { type Consumer, partsOf } from "./consumer.ts";
import type { Output } from "./output.ts";
import { StoreSink } from "./store_sink.ts";

/** What a `save` is given besides its outputs. */
export interface SaveContext {
  /** Aborts when the time to finish is over: what is stored after that will be repeated. */
  readonly signal: AbortSignal;
}

/** How `stored` writes. */
export interface StoredOptions {
  /** How many writes may be in flight at a time, a positive integer. Default: 1. */
  concurrency?: number | undefined;
  /** How many outputs make a write, a positive integer. Default: 100. */
  batchSize?: number | undefined;
  /** Milliseconds after its first output at which a batch is written though it is not full. Default: 20. */
  maxWaitMs?: number | undefined;
  /**
   * Whether a write failed because the store cannot be used just now, which is not a failure of a message; `false`
   * blames the message at once. Default, and where it returns `undefined` or throws: the store is out unless it takes something
   * else meanwhile.
   */
  isOutage?: ((reason: unknown) => boolean | undefined) | undefined;
}

const optionNames = ["concurrency", "batchSize", "maxWaitMs", "isOutage"];

/**
 * Writes outputs in batches, and acknowledges each message once its last output is stored: the sink of a consumer's
 * pipeline.
 *
 * At least once means that a store is given some outputs again, if a worker has died between a write and the
 * acknowledgement. Their `key` is then the same, so `INSERT … ON CONFLICT (key) DO NOTHING` makes a repeat harmless.
 * A batch must be stored as a whole or not at all, in a transaction. A batch that fails is halved until the cause is
 * found, and its message has then failed. If nothing can be stored, the store has an outage: the writes are tried
 * again, and the leases extended, until it is back.
 *
 * @typeParam O The type of the outputs' values.
 * @param consumer The consumer that the messages come from.
 * @param save Stores a batch; may return a promise of its end.
 * @param options How many, how large, and how long to wait.
 * @returns A sink for `pipeline` and `pipeTo`.
 * @throws {TypeError} If `consumer` is not one, a function is not one, a number is not one, or an option is unknown.
 * @throws {RangeError} If a number is out of its range.
 *
 * @example A repeat is absorbed by its key
 * ```ts
 * import { pipeline } from "@hosepipe/streams";
 * import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
 * import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
 * import { DatabaseSync } from "node:sqlite";
 * import assert from "node:assert/strict";
 *
 * const database = new DatabaseSync(":memory:");
 * database.exec("CREATE TABLE rows (key TEXT PRIMARY KEY, text TEXT)");
 * const insert = database.prepare("INSERT INTO rows VALUES (?, ?) ON CONFLICT (key) DO NOTHING");
 *
 * const queue = sqliteQueue<string>(database, { table: "jobs" });
 * await queue.send(["a", "b"]);
 *
 * const consumer = new Consumer(queue);
 * await pipeline(
 *   messages(consumer),
 *   perMessage<string>(),
 *   stored(consumer, (outputs) => {
 *     const changes = [...outputs, ...outputs].map(({ key, value }) => insert.run(key, value).changes);
 *     assert.deepEqual(changes, [1, 1, 0, 0]);
 *     consumer.stop();
 *   }, { batchSize: 2 }),
 * );
 * ```
 */
export function stored<O>(
  consumer: Consumer<never> | Consumer<unknown>,
  save: (outputs: readonly Output<O>[], context: SaveContext) => unknown,
  options: StoredOptions = {},
): WritableStream<Output<O>> {
  const action = "create stored";
  const { ledger } = partsOf(action, consumer);
  checkFunction(action, "save", save);
  checkOptions(action, options, optionNames);
  const { concurrency = 1, batchSize = 100, maxWaitMs = 20, isOutage } = options;
  checkInteger(action, "concurrency", concurrency, 1);
  checkInteger(action, "batchSize", batchSize, 1);
  if (typeof maxWaitMs !== "number") throwTypeError(action, "maxWaitMs", "a number", maxWaitMs);
  if (!(maxWaitMs >= 0 && maxWaitMs <= longestDelayMs)) {
    throw new RangeError(
      `Cannot ${action}: maxWaitMs must be from 0 to ${longestDelayMs}, got ${maxWaitMs}`,
    );
  }
  if (isOutage !== undefined) checkFunction(action, "isOutage", isOutage);
  if (ledger.onAbandon !== undefined) {
    throw new TypeError(`Cannot ${action}: consumer has a store already`);
  }
  const writer = new BatchWriter(
    ledger,
    save as (outputs: readonly Output[], context: SaveContext) => unknown,
    { concurrency, isOutage },
  );
  const sink = new StoreSink(ledger, writer, {
    batchSize,
    maxWaitMs,
    stop: () => (consumer as Consumer<unknown>).stop(),
  });
  const stream = new WritableStream<Output<O>>(sink, { highWaterMark: 1 });
  setEndMeaning(stream, {
    direct: { write: (output) => sink.write(output), written: () => sink.written() },
  });
  return stream;
}
