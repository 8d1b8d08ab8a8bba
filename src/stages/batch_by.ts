import { checkFunction, checkInteger } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import { delay, integer, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import { OpenBatches } from "./open_batches.ts";

/** Chunks that have the same key. */
export interface KeyedBatch<Key, T> {
  /** What they have in common. */
  readonly key: Key;
  /** The chunks, in order. */
  readonly chunks: T[];
}

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
  const readers = { maxWaitMs: delay(), maxKeys: integer(1000, 1, true) };
  const limits = { size, ...readOptions(action, options, readers) };
  return operator((controller, context) => {
    const batches = new OpenBatches<Key, T>(
      limits,
      controller,
      (key, chunks) => controller.enqueue({ key, chunks }),
    );
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
