import { Condition } from "../condition.ts";
import { createDeferred } from "../deferred.ts";
import { checkFunction, throwTypeError } from "../errors.ts";
import { setEndMeaning } from "../kernels/end_meaning.ts";
import { callback, delay, integer, readOptions } from "../read_options.ts";
import { BatchWriter } from "./batch_writer.ts";
import { type Consumer, partsOf } from "./consumer.ts";
import type { Ledger } from "./ledger.ts";
import type { LeasedMessage } from "./message.ts";
import { MessageOutput, type Output } from "./output.ts";

interface SinkOptions {
  readonly batchSize: number;
  readonly maxWaitMs: number;
  /** Stops the consumer. */
  readonly stop: () => void;
}

/** Whether all that a message has given is here or stored, so that its work can still be ended. */
function isWhole(message: LeasedMessage): boolean {
  return message.isComplete && message.arrived === message.outputs;
}

/** Gathers outputs into batches, and ends with the consumer. */
export class StoreSink {
  readonly #ledger: Ledger;
  readonly #writer: BatchWriter;
  readonly #options: SinkOptions;
  readonly #room = new Condition();
  readonly #abandoned = createDeferred<never>();
  #pending: MessageOutput[] = [];
  #signal!: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether what is here is written though it fills no batch. */
  #isDue = false;
  #isOver = false;

  constructor(ledger: Ledger, writer: BatchWriter, options: SinkOptions) {
    this.#ledger = ledger;
    this.#writer = writer;
    this.#options = options;
    this.#abandoned.promise.catch(() => {});
  }

  start(controller: WritableStreamDefaultController): void {
    this.#writer.onFree = () => this.#writeBatches();
    this.#ledger.onStuck = () => this.#writeAll();
    this.#ledger.onAbandon = (reason) => {
      this.#end();
      this.#abandoned.reject(reason);
      controller.error(reason);
    };
    this.#signal = controller.signal;
    this.#signal.addEventListener("abort", () => this.#room.notifyAll(), { once: true });
  }

  write(output: unknown): void | Promise<void> {
    if (!(output instanceof MessageOutput) || output.message.ledger !== this.#ledger) {
      this.#options.stop();
      void this.#ledger.nackRest();
      throwTypeError("store", "chunk", "an output of this consumer's messages", output);
    }
    // It has failed or was given back meanwhile: all of it comes again.
    if (output.message.phase !== "begun") return;
    output.message.arrived++;
    this.#pending.push(output);
    if (this.#ledger.isStuck) this.#isDue = true;
    this.#writeBatches();
    if (this.#isFull()) {
      return this.#room.until(() => !this.#isFull() || this.#signal.aborted);
    }
  }

  /** Fulfils once all that is here is stored. */
  async written(): Promise<void> {
    await Promise.race([this.#store(), this.#abandoned.promise]);
  }

  /** The end of the messages: fulfils once all are stored and the queue knows it. */
  async close(): Promise<void> {
    await Promise.race([this.#finish(), this.#abandoned.promise]);
  }

  /** The end of the pipeline before its time: messages that are here as a whole are still stored. */
  abort(): Promise<void> {
    this.#pending = this.#pending.filter(({ message }) => isWhole(message));
    return this.close();
  }

  async #finish(): Promise<void> {
    this.#options.stop();
    void this.#ledger.nackRest(isWhole);
    await this.#store();
    void this.#ledger.nackRest();
    await this.#ledger.whenSettled();
    this.#end();
  }

  async #store(): Promise<void> {
    this.#writeAll();
    await this.#room.until(() => this.#pending.length === 0);
    await this.#writer.idle();
  }

  #end(): void {
    this.#isOver = true;
    this.#pending = [];
    clearTimeout(this.#timer);
    this.#room.notifyAll();
  }

  #isFull(): boolean {
    return this.#pending.length >= this.#options.batchSize && !this.#isOver;
  }

  #writeAll(): void {
    this.#isDue = true;
    this.#writeBatches();
  }

  #writeBatches(): void {
    const { batchSize, maxWaitMs } = this.#options;
    const pending = this.#pending;
    while (
      this.#writer.isFree && pending.length > 0 && (this.#isDue || pending.length >= batchSize)
    ) void this.#writer.write(pending.splice(0, batchSize));
    if (pending.length === 0) {
      this.#isDue = false;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    } else if (!this.#isDue) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#writeAll();
      }, maxWaitMs);
    }
    if (!this.#isFull()) this.#room.notifyAll();
  }
}

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
  const { concurrency, batchSize, maxWaitMs, isOutage } = readOptions(action, options, {
    concurrency: integer(1),
    batchSize: integer(100),
    maxWaitMs: delay(20),
    isOutage: callback(),
  });
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
