import { checkInteger, checkOptions } from "../errors.ts";
import { type ReaderSource, underlyingSource } from "./batch_source.ts";
import { type StrategyOptions, toStrategy } from "../strategy.ts";
import { namedStream } from "./direct_stream.ts";

/** How `reader` reads. */
export interface ReaderOptions<T> extends StrategyOptions<T> {
  /**
   * How many chunks are taken at a time: read from an iterable whenever there is room for one, or
   * passed to the function. A batch may overfill the queue. Default: 1.
   */
  batchSize?: number | undefined;
}

/**
 * Makes a `ReadableStream` of an iterable, an async iterable, or a function that returns batches.
 *
 * It pulls: nothing is read before the queue has room for it, and a batch is enqueued whole. Cancelling
 * closes an iterator by `return(reason)` and aborts a function's signal with the reason. An error of
 * the source fails the stream.
 *
 * @typeParam T The type of the chunks.
 * @param source What to read.
 * @param options The queue and the size of batches.
 * @throws {TypeError} If `source` is none of the three, or an option is unknown or of the wrong type.
 * @throws {RangeError} If `batchSize` is not a positive integer, or `highWaterMark` negative.
 *
 * @example Pages of a database
 * ```ts
 * import { reader } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const rows = ["Ada", "Alan", "Grace"];
 * let offset = 0;
 * const nextPage = (batchSize: number) => {
 *   const page = rows.slice(offset, offset += batchSize);
 *   return Promise.resolve(page.length > 0 ? page : null);
 * };
 *
 * assert.deepEqual(await Array.fromAsync(reader(nextPage, { batchSize: 2 })), ["Ada", "Alan", "Grace"]);
 * ```
 *
 * @example Endless, read on demand
 * ```ts
 * import { reader } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * let count = 0;
 * const numbers = reader(function* () {
 *   while (true) yield count++;
 * }(), { highWaterMark: 0 });
 * const defaultReader = numbers.getReader();
 *
 * assert.deepEqual(await defaultReader.read(), { done: false, value: 0 });
 * await defaultReader.cancel();
 * assert.deepEqual(count, 1);
 * ```
 */
export function reader<T>(
  source: ReaderSource<T>,
  options: ReaderOptions<T> = {},
): ReadableStream<T> {
  const action = "create reader";
  checkOptions(action, options, ["highWaterMark", "size", "batchSize"]);
  const { batchSize = 1 } = options;
  checkInteger(action, "batchSize", batchSize, 1);
  const strategy = toStrategy(action, options);
  return namedStream("reader", underlyingSource(source, batchSize), strategy);
}
