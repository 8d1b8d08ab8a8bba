import type { Readable } from "node:stream";
import { checkInteger, checkOptions } from "../src/errors.ts";
import type { ReaderOptions as WebReaderOptions } from "../src/sources/reader.ts";
import { type ReaderSource, underlyingSource } from "../src/sources/batch_source.ts";
import { checkHighWaterMark, refuseSize } from "./check_high_water_mark.ts";
import { sourceReadable } from "./source_side.ts";

/** Options of {@linkcode reader}: those of the Web one except `size`. */
export type ReaderOptions = Omit<WebReaderOptions<unknown>, "size">;

const action = "create reader";

/**
 * The same as the Web `reader`, on `node:stream`: an object-mode `Readable` whose `_read` asks the source, at
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
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(await reader([1, 2, 3], { batchSize: 2 }).toArray(), [1, 2, 3]);
 * ```
 */
export function reader<Chunk>(source: ReaderSource<Chunk>, options: ReaderOptions = {}): Readable {
  checkOptions(action, options, ["highWaterMark", "size", "batchSize"]);
  refuseSize(action, options);
  const highWaterMark = checkHighWaterMark(action, options.highWaterMark);
  const { batchSize = 1 } = options;
  checkInteger(action, "batchSize", batchSize, 1);
  return sourceReadable(underlyingSource(source, batchSize), highWaterMark);
}
