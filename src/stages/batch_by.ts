import { checkDelay } from "../check_delay.ts";
import { checkFunction, checkInteger, checkOptions } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { Demand } from "../kernels/demand.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";
import type { KeyedBatch } from "./keyed_batch.ts";

/** When `batchBy` emits a batch that is not full. */
export interface BatchByOptions {
  /**
   * Milliseconds after its first chunk at which a batch is passed on though it is not full, from 0 to
   * 2,147,483,647; while there is no room it goes on filling. Default: batches wait until they are full, another
   * key needs their place, or the stream ends.
   */
  maxWaitMs?: number | undefined;
  /**
   * How many keys may have a batch open at a time, a positive integer or `Infinity`; another key's first
   * chunk makes the batch that was opened first go on, which a run counts in its result as `keysEvicted`. Default: 1000.
   */
  maxKeys?: number | undefined;
}

/** A stage that fails by itself is not cancelled, and its timer would go on. */
function dropAndThrow(batches: { drop(): void }, reason: unknown): never {
  batches.drop();
  throw reason;
}

/**
 * Gathers chunks into arrays of `size` by their key. At the end those that are not full go on too, in the
 * order in which they were opened.
 *
 * Keys are compared as those of a `Map`. It holds at most `size` times `maxKeys` chunks.
 *
 * @typeParam T The type of the chunks.
 * @typeParam Key The type of the keys.
 * @param key Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; returns its
 * key or a promise of it.
 * @param size How many chunks make a batch.
 * @param options When a batch is emitted before it is full.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `key` is not a function, a number is not one, or an option is unknown.
 * @throws {RangeError} If `size` or `maxKeys` is not a positive integer, or `maxWaitMs` not a delay a timer
 * knows.
 *
 * @example Rows for each table
 * ```ts
 * import { batchBy } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const rows = ReadableStream.from(["cat:1", "dog:2", "cat:3", "cat:4"])
 *   .pipeThrough(new TransformStream(batchBy((row: string) => row.slice(0, 3), 2)));
 *
 * assert.deepEqual(await Array.fromAsync(rows), [
 *   { key: "cat", chunks: ["cat:1", "cat:3"] },
 *   { key: "dog", chunks: ["dog:2"] },
 *   { key: "cat", chunks: ["cat:4"] },
 * ]);
 * ```
 */
export function batchBy<T, Key>(
  key: (chunk: T, index: number, context: StageContext) => Key | PromiseLike<Key>,
  size: number,
  options: BatchByOptions = {},
): Transformer<T, KeyedBatch<Key, T>> {
  const action = "create batchBy";
  checkFunction(action, "key", key);
  checkInteger(action, "size", size, 1);
  checkOptions(action, options, ["maxWaitMs", "maxKeys"]);
  const { maxWaitMs, maxKeys = 1000 } = options;
  if (maxWaitMs !== undefined) checkDelay(action, "maxWaitMs", maxWaitMs);
  checkInteger(action, "maxKeys", maxKeys, 1, true);

  const limits = { size, maxKeys, maxWaitMs };
  return operator((controller, context) => {
    const batches = new KeyedBatches<Key, T>(limits, controller);
    let index = 0;
    return {
      transform(chunk) {
        try {
          const found = key(chunk, index++, context);
          if (isPromiseLike(found)) {
            return Promise.resolve(found).then(
              (value) => batches.add(value as Key, chunk),
              (reason) => dropAndThrow(batches, reason),
            );
          }
          batches.add(found, chunk);
        } catch (reason) {
          dropAndThrow(batches, reason);
        }
      },
      flush: () => batches.flush(),
      flushNow: () => batches.flush(),
      cancel: () => batches.drop(),
      addCounts(counts) {
        if (batches.evicted > 0) counts.keysEvicted = (counts.keysEvicted ?? 0) + batches.evicted;
      },
    };
  }, { name: "batchBy", fn: key });
}

/** When a batch goes on. */
interface BatchLimits {
  readonly size: number;
  readonly maxKeys: number;
  readonly maxWaitMs: number | undefined;
}

interface OpenBatch<T> {
  readonly chunks: T[];
  /** When it was opened, in milliseconds of the clock; 0 where nothing waits. */
  readonly openedAtMs: number;
}

/** How long to wait before looking for room again in a native stream, which gives a transformer no signal of it. */
const pollMs = 10;

/** The open batches of one stream. */
class KeyedBatches<Key, T> {
  readonly #limits: BatchLimits;
  readonly #controller: TransformStreamDefaultController<KeyedBatch<Key, T>>;
  readonly #demand: Demand;
  /** In the order in which they were opened. */
  readonly #open = new Map<Key, OpenBatch<T>>();
  /** Kept, since a fresh iterator would pass all that was deleted before. */
  #entries: MapIterator<[Key, OpenBatch<T>]> | undefined;
  #first: [Key, OpenBatch<T>] | undefined;
  /** How many batches went on for another key's sake. */
  evicted = 0;
  /** One for all: the batch that was opened first goes on first. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the first waits only for room. */
  #isDue = false;

  /** To be made by `start`. */
  constructor(
    limits: BatchLimits,
    controller: TransformStreamDefaultController<KeyedBatch<Key, T>>,
  ) {
    this.#limits = limits;
    this.#controller = controller;
    this.#demand = new Demand(controller);
  }

  /** Takes a chunk; forgets all if the queue refuses what that passes on. */
  add(key: Key, chunk: T): void {
    try {
      this.#add(key, chunk);
    } catch (reason) {
      this.drop();
      throw reason;
    }
  }

  #add(key: Key, chunk: T): void {
    const { size, maxKeys, maxWaitMs } = this.#limits;
    let batch = this.#open.get(key);
    if (batch === undefined) {
      if (this.#open.size >= maxKeys) {
        this.#emit(...this.#findFirst()!);
        this.evicted++;
      }
      batch = { chunks: [], openedAtMs: maxWaitMs === undefined ? 0 : performance.now() };
      this.#open.set(key, batch);
    }
    if (batch.chunks.push(chunk) === size) this.#emit(key, batch);
    if (this.#isDue) this.#emitDue();
    this.#setTimer();
  }

  /** Passes on all. */
  flush(): void {
    this.#stopTimer();
    for (const [key, batch] of this.#open) this.#emit(key, batch);
  }

  /** Forgets all. */
  drop(): void {
    this.#stopTimer();
    this.#open.clear();
  }

  /** The batch that was opened first. */
  #findFirst(): [Key, OpenBatch<T>] | undefined {
    while (this.#first === undefined || this.#open.get(this.#first[0]) !== this.#first[1]) {
      this.#entries ??= this.#open.entries();
      const { done, value } = this.#entries.next();
      if (done) {
        this.#entries = this.#first = undefined;
        return undefined;
      }
      this.#first = value;
    }
    return this.#first;
  }

  #emit(key: Key, { chunks }: OpenBatch<T>): void {
    this.#open.delete(key);
    this.#controller.enqueue({ key, chunks });
  }

  /** Passes on what has waited long enough, as far as there is room: until then it goes on filling. */
  #emitDue(): void {
    // Timers may fire a little early.
    const dueMs = performance.now() - this.#limits.maxWaitMs! + 1;
    this.#isDue = false;
    for (let first; (first = this.#findFirst()) !== undefined; this.#emit(...first)) {
      if (first[1].openedAtMs > dueMs) return;
      if (!this.#demand.isThere()) {
        this.#isDue = true;
        return;
      }
    }
  }

  /** Sets the timer while anything waits, and no longer. */
  #setTimer(): void {
    const { maxWaitMs } = this.#limits;
    if (maxWaitMs === undefined) return;
    if (this.#open.size === 0) return this.#stopTimer();
    if (this.#isDue) return this.#demand.later(this.#onTimer, pollMs);
    this.#demand.stopLater();
    if (this.#timer !== undefined) return;
    const dueInMs = this.#findFirst()![1].openedAtMs + maxWaitMs - performance.now();
    this.#timer = setTimeout(this.#onTimer, Math.max(0, dueInMs));
  }

  readonly #onTimer = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.#emitDue();
      this.#setTimer();
    } catch (error) {
      // A timer has no caller to throw to, so the stream fails.
      this.#controller.error(error);
    }
  };

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#demand.stopLater();
    this.#isDue = false;
  }
}
