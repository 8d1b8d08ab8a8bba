import { Readable } from "node:stream";
import { checkInteger, checkOptions, throwTypeError } from "../src/errors.ts";
import { isPromiseLike } from "../src/is_promise_like.ts";
import type { Batch } from "../src/stages/batch_source.ts";
import type { ReaderSource } from "../src/stages/reader.ts";
import { checkHighWaterMark, refuseSize } from "./check_high_water_mark.ts";
import { toError, toReason } from "./stage_error.ts";

/** Options of {@linkcode reader}. */
export interface ReaderOptions {
  /** The threshold, in chunks, of the outgoing buffer. @default {1} */
  highWaterMark?: number;
  /**
   * How many chunks one read takes from an iterable, or asks of a function, however full the buffer gets.
   * @default {1}
   */
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

  const giveUp = new AbortController();
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
  let timer: ReturnType<typeof setTimeout> | undefined;

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

  // As in the Web twin, an empty batch means «none yet» and gives the event loop its turn.
  const waitAWhile = (): Promise<void> =>
    new Promise((resolve) => {
      timer = setTimeout(() => {
        wanted = true;
        resolve();
      });
    });

  const pushBatch = (batch: Batch<Chunk>): Promise<void> | undefined => {
    if (stream.destroyed) return;
    if (batch === undefined || batch === null) return end();
    if (typeof batch !== "object" || ArrayBuffer.isView(batch) || !(Symbol.iterator in batch)) {
      throwTypeError(
        "read from source",
        "a batch",
        "an iterable of chunks, null or undefined",
        batch,
      );
    }
    let isEmpty = true;
    for (const chunk of batch) {
      isEmpty = false;
      push(chunk);
      if (stream.destroyed) return;
    }
    if (isEmpty) return waitAWhile();
  };

  const takeAsync = async (first: PromiseLike<IteratorResult<Chunk>>): Promise<void> => {
    for (let count = 0, next = first;; next = iterator!.next() as typeof first) {
      const { done, value } = await next;
      if (stream.destroyed) return;
      if (done) return end();
      push(value);
      if (++count === batchSize || stream.destroyed) return;
    }
  };

  const ask = (): PromiseLike<void> | undefined => {
    if (isFunction) {
      const batch = source(batchSize, giveUp.signal);
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
      clearTimeout(timer);
      if (over) return callback(error);
      over = true;
      try {
        const reason = toReason(error ?? undefined);
        if (isFunction) giveUp.abort(reason);
        const result: unknown = iterator?.return?.(reason);
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
