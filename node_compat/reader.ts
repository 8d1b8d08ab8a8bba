import { Readable } from "node:stream";
import { checkInteger, checkOptions, throwTypeError } from "../src/errors.ts";
import { isPromiseLike } from "../src/is_promise_like.ts";
import { checkHighWaterMark, refuseSize } from "./check_high_water_mark.ts";
import { toError } from "./stage_error.ts";

/** What {@linkcode reader} reads from. A function gives the next batch, or nothing at the end. */
export type ReaderSource<Chunk> =
  | Iterable<Chunk>
  | AsyncIterable<Chunk>
  | (() => Batch<Chunk> | PromiseLike<Batch<Chunk>>);

type Batch<Chunk> = Iterable<Chunk> | null | undefined | void;

/** Options of {@linkcode reader}. */
export interface ReaderOptions {
  /** The threshold, in chunks, of the outgoing buffer. @default {1} */
  highWaterMark?: number;
  /** How many chunks of an iterable one read takes, however full the buffer gets. @default {1} */
  batchSize?: number;
}

const action = "create reader";

/**
 * The twin of the Web `reader` on `node:stream`: an object-mode `Readable` whose `_read` asks the source, at
 * once where the source is synchronous. A batch is pushed whole and may overfill the buffer; the end is a read of
 * its own, as in a hand-written `_read`. Chunks go through the stream's own `push`.
 *
 * Node streams cannot carry `null`, which is their end: a source that gives it fails with a `TypeError`.
 *
 * @throws {TypeError} If `source` cannot be read, or an option is of the wrong type, unknown, or `size`.
 * @throws {RangeError} If `highWaterMark` or `batchSize` is out of range.
 *
 * @example
 * ```ts
 * import { reader } from "@hosepipe/streams/node";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(await reader([1, 2, 3], { batchSize: 2 }).toArray(), [1, 2, 3]);
 * ```
 */
export function reader<Chunk>(source: ReaderSource<Chunk>, options: ReaderOptions = {}): Readable {
  checkOptions(action, options, ["highWaterMark", "size", "batchSize"]);
  refuseSize(action, (options as { size?: unknown }).size);
  const highWaterMark = checkHighWaterMark(action, options.highWaterMark);
  const { batchSize = 1 } = options;
  checkInteger(action, "batchSize", batchSize, 1);

  const isFunction = typeof source === "function";
  let iterator: Iterator<Chunk> | AsyncIterator<Chunk> | undefined;
  if (!isFunction) {
    const { [Symbol.asyncIterator]: asynchronous, [Symbol.iterator]: synchronous } = Object(
      source ?? {},
    ) as AsyncIterable<Chunk> & Iterable<Chunk>;
    const open: unknown = asynchronous ?? synchronous;
    if (typeof open !== "function") {
      throwTypeError(action, "source", "an iterable, an async iterable or a function", source);
    }
    iterator = open.call(source) as Iterator<Chunk> | AsyncIterator<Chunk>;
  }

  // Once the source has ended or thrown, there is nothing to give back to it.
  let over = false;
  let reading = false;
  let wanted = false;

  const push = (chunk: Chunk): void => {
    wanted = false;
    if (chunk !== null) stream.push(chunk);
    else {
      stream.destroy(
        new TypeError("Cannot read: a node stream cannot carry null, which is its end"),
      );
    }
  };

  const end = (): undefined => {
    over = true;
    stream.push(null);
  };

  const pushBatch = (batch: Batch<Chunk>): undefined => {
    if (stream.destroyed) return;
    if (batch === undefined || batch === null) return end();
    if (typeof batch !== "object" || !(Symbol.iterator in batch)) {
      throwTypeError("read", "a batch", "an iterable", batch);
    }
    // A batch without chunks is no answer yet: node would never ask again by itself.
    wanted = true;
    for (const chunk of batch) {
      push(chunk);
      if (stream.destroyed) return;
    }
  };

  const takeAsync = async (result: PromiseLike<IteratorResult<Chunk>>): Promise<void> => {
    const chunks: Chunk[] = [];
    let next: IteratorResult<Chunk> | undefined;
    try {
      next = await result;
      while (!next.done && chunks.push(next.value) < batchSize && !stream.destroyed) {
        next = await iterator!.next();
      }
    } finally {
      if (chunks.length > 0) pushBatch(chunks);
    }
    if (next.done && !stream.destroyed) end();
  };

  const ask = (): PromiseLike<void> | undefined => {
    if (isFunction) {
      const batch = source();
      return isPromiseLike(batch)
        ? (batch as PromiseLike<Batch<Chunk>>).then(pushBatch)
        : pushBatch(batch as Batch<Chunk>);
    }
    for (let count = 0; count < batchSize && !stream.destroyed; count++) {
      const result = iterator!.next();
      if (isPromiseLike(result)) return takeAsync(result as PromiseLike<IteratorResult<Chunk>>);
      const { done, value } = result as IteratorResult<Chunk>;
      if (done) return end();
      push(value);
    }
  };

  const fail = (reason: unknown): void => {
    over = true;
    stream.destroy(toError(reason));
  };

  // A consumer may ask for more while a batch is being pushed: it gets that after the batch, not within.
  const read = (): void => {
    wanted = true;
    if (reading) return;
    reading = true;
    try {
      while (wanted && !over && !stream.destroyed) {
        wanted = false;
        const result = ask();
        if (result !== undefined) {
          result.then(() => {
            reading = false;
            if (wanted) read();
          }, fail);
          return;
        }
      }
    } catch (reason) {
      fail(reason);
    }
    reading = false;
  };

  const stream = new Readable({
    objectMode: true,
    highWaterMark,
    read,
    destroy(error, callback) {
      if (over) return callback(error);
      over = true;
      try {
        const result: unknown = iterator?.return?.();
        if (isPromiseLike(result)) {
          // A stalled source answers when it can; who gives up on it does not wait for that.
          if (reading) result.then(undefined, () => {});
          else {
            result.then(() => callback(error), (reason) => callback(error ?? toError(reason)));
            return;
          }
        }
      } catch (reason) {
        return callback(error ?? toError(reason));
      }
      callback(error);
    },
  });
  return stream;
}
