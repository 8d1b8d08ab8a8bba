import { asyncDispose } from "../async_dispose.ts";
import { builtinModule } from "../builtin_module.ts";
import { checkFunction, throwTypeError } from "../errors.ts";
import { callback, integer, readOptions, signal as readSignal, wholeMs } from "../read_options.ts";
import { type ConsumerEvent, Ledger } from "./ledger.ts";
import type { QueueSource } from "./queue_source.ts";
import { Receiver } from "./receiver.ts";

interface Heap {
  getHeapStatistics(): { readonly heap_size_limit: number };
}

const mostBytes = 64 * 2 ** 20;

let knownLimit: number | undefined;

/** How large the runtime's heap may become, where it tells; asked once, since Bun looks at the whole heap for it. */
function heapLimit(): number {
  return knownLimit ??= builtinModule<Heap>("node:v8")?.getHeapStatistics().heap_size_limit ?? 0;
}

/** A quarter of the heap's limit, where that is known, and at most 64 MiB. */
export function defaultBytes(limit: number = heapLimit()): number {
  const share = Math.floor(limit / 4);
  return share >= 1 ? Math.min(share, mostBytes) : mostBytes;
}

/** How a `Consumer` works. */
export interface ConsumerOptions {
  /**
   * How many messages may be leased and not yet settled at a time, a positive integer. What one worker holds the
   * others cannot work on. Default: 256.
   */
  maxInFlight?: number | undefined;
  /**
   * How large the messages that are leased and not yet settled may be together, in bytes (of text, in UTF-16 units), a
   * positive integer. While more than half of it is taken no message is leased; the last one that is may go beyond it.
   * Default: a quarter of the heap's limit where the runtime tells it, at most 67,108,864 (64 MiB).
   */
  maxInFlightBytes?: number | undefined;
  /**
   * How long the queue keeps a message from other workers unless it is extended, in milliseconds; extended three
   * times in that while there is work on it. A worker that dies delays its messages by as much. Default: 30,000.
   */
  leaseMs?: number | undefined;
  /** How long a stop may take, in milliseconds: what is not done by then is given back. Default: 10,000. */
  drainMs?: number | undefined;
  /** The failure at which a message becomes a dead letter, a positive integer. Default: 5. */
  maxFailures?: number | undefined;
  /**
   * How many workers may die while they work on a message and on nothing else before it becomes a dead letter, a
   * positive integer. After each it waits as a message that has failed does. Two or four times as many if one or
   * several other messages are orphaned as well, since then something else may kill workers. Default: 5.
   */
  maxSuspicions?: number | undefined;
  /**
   * How long a message that has failed waits, in milliseconds; twice as long at each further failure, at most an hour.
   * Default: 1,000.
   */
  retryDelayMs?: number | undefined;
  /** Stops the consumer when it aborts; default: none. */
  signal?: AbortSignal | undefined;
  /** Called for failures, dead letters, outages, and a queue that was made again. Default: none. */
  onEvent?: ((event: ConsumerEvent) => void) | undefined;
}

/** The counts of a consumer so far. */
export interface ConsumerCounts {
  /** Messages that are leased and not yet settled. */
  readonly inFlight: number;
  /** Messages handed over by the queue. */
  readonly received: number;
  /** Messages whose work is done. */
  readonly acknowledged: number;
  /** Failures that were counted; the last one of a dead letter is not among them. */
  readonly failed: number;
  /** Messages put among the dead letters. */
  readonly dead: number;
  /** Messages given back without a failure. */
  readonly nacked: number;
}

const methods = [
  ...["open", "receive", "ack", "nack", "fail", "isolate", "extend", "deadLetter"],
] as const;

/** The share of `drainMs` after which what is left is given back, so that there is time for that too. */
const workShare = 0.9;

/** The rooms behind a consumer, for `messages` and `stored`. */
interface Parts {
  readonly ledger: Ledger<unknown>;
  readonly receiver: Receiver<unknown>;
}

let read: (consumer: Consumer<unknown>) => Parts;

/** What `messages` and `stored` share of a consumer. */
export function partsOf(action: string, consumer: unknown): Parts {
  if (!(consumer instanceof Consumer)) {
    throwTypeError(action, "consumer", "a Consumer", consumer);
  }
  return read(consumer as Consumer<unknown>);
}

/**
 * A worker's account with a queue: what it has leased, how far each message is, and what is reported to the queue.
 *
 * Messages go through a pipeline from `messages(consumer)` through `perMessage(…)` to `stored(consumer, save)`. Each
 * is delivered at least once. Leases are extended while their messages are worked on. A message that fails
 * `maxFailures` times becomes a dead letter with the reason. One that has been delivered twice without an end may
 * have killed its workers: it is worked on alone, and becomes a dead letter once `maxSuspicions` workers have died
 * meanwhile. What the broker or the store cannot do is tried again until they can, and is not a failure of a message.
 *
 * When `signal` aborts, or after `stop()`, it takes no more messages and gives back those not begun. The others are
 * finished, or given back after `drainMs`, and then the pipeline fails.
 *
 * @typeParam T The type of a message's body.
 *
 * @example Three messages from a queue in SQLite
 * ```ts
 * import { map, pipeline } from "@hosepipe/streams";
 * import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
 * import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
 * import { DatabaseSync } from "node:sqlite";
 * import assert from "node:assert/strict";
 *
 * const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "jobs" });
 * await queue.send(["a", "b", "c"]);
 *
 * const store = new Map<string, string>();
 * const consumer = new Consumer(queue, { maxInFlight: 16 });
 * await pipeline(
 *   messages(consumer),
 *   perMessage(map((text: string) => text.toUpperCase())),
 *   stored(consumer, (outputs) => {
 *     for (const { key, value } of outputs) store.set(key, value);
 *     if (store.size === 3) consumer.stop();
 *   }),
 * );
 *
 * assert.deepEqual([...store.values()], ["A", "B", "C"]);
 * assert.deepEqual(await queue.depth(), { waiting: 0, leased: 0, dead: 0 });
 * ```
 */
export class Consumer<T = unknown> {
  readonly #ledger: Ledger<T>;
  readonly #receiver: Receiver<T>;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.stop();
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #closed: Promise<void> | undefined;

  static {
    read = (consumer) => ({ ledger: consumer.#ledger, receiver: consumer.#receiver });
  }

  /**
   * Makes a consumer; nothing is received before its messages are read.
   *
   * @param queue An adapter, such as `sqliteQueue(…)`.
   * @param options How many messages at a time, and how long things may take.
   * @throws {TypeError} If the queue lacks a method, an option is of the wrong type, or unknown.
   * @throws {RangeError} If a number is out of its range.
   */
  constructor(queue: QueueSource<T>, options: ConsumerOptions = {}) {
    const action = "create Consumer";
    if (typeof queue !== "object" || queue === null) {
      throwTypeError(action, "queue", "a QueueSource", queue);
    }
    for (const name of methods) checkFunction(action, `queue.${name}`, queue[name]);
    const { signal, ...settings } = readOptions(action, options, {
      maxInFlight: integer(256),
      maxInFlightBytes: integer(defaultBytes()),
      leaseMs: wholeMs(30_000, 1),
      drainMs: wholeMs(10_000, 0),
      maxFailures: integer(5),
      maxSuspicions: integer(5),
      retryDelayMs: wholeMs(1_000, 0),
      signal: readSignal,
      onEvent: callback(),
    });
    this.#ledger = new Ledger(queue, settings);
    this.#receiver = new Receiver(this.#ledger);
    this.#signal = signal;
    if (signal?.aborted) this.stop();
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** What it has done so far. */
  get counts(): ConsumerCounts {
    return { inFlight: this.#ledger.unsettled, ...this.#ledger.counts };
  }

  /** Takes no more, and gives back what was not begun; the pipeline ends with what was. */
  stop(): void {
    if (this.#closed !== undefined) return;
    this.#closed = this.#close();
  }

  /** Stops, and fulfils once nothing is leased any more, or `drainMs` is over. */
  async close(): Promise<void> {
    this.stop();
    await this.#closed;
  }

  /** Does what `close` does, where a block of `await using` ends. */
  [asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { settings: { drainMs } } = this.#ledger;
    this.#deadline = setTimeout(() => this.#abandon(), drainMs * workShare);
    const { changed, end } = this.#ledger;
    await Promise.race([this.#receiver.closed(), changed.until(() => end.aborted)]);
    await this.#ledger.whenSettled();
    clearTimeout(this.#deadline);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  /** The time to work is over: what is left is given back, for as long as `drainMs` lasts. */
  #abandon(): void {
    const { settings: { drainMs }, unsettled } = this.#ledger;
    const were = unsettled === 1 ? "1 message was" : `${unsettled} messages were`;
    const why = unsettled === 0 ? "the queue does not answer" : `${were} not finished`;
    const reason = new Error(`Cannot finish within ${drainMs} ms: ${why}`);
    this.#ledger.onAbandon?.(reason);
    void this.#ledger.nackRest();
    this.#deadline = setTimeout(
      () => this.#ledger.abandon(reason),
      Math.max(0, drainMs * (1 - workShare)),
    );
  }
}
