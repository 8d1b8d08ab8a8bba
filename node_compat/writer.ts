import type { Writable } from "node:stream";
import { checkOptions } from "../src/errors.ts";
import { setEndMeaning } from "../src/kernels/end_meaning.ts";
import type { WriterOptions as WebWriterOptions } from "../src/sinks/writer_options.ts";
import { WriteSink } from "../src/sinks/write_sink.ts";
import { checkHighWaterMark, refuseSize } from "./check_high_water_mark.ts";
import { sinkWritable } from "./sink_side.ts";

/** Options of {@linkcode writer}: those of the Web one except `size`. */
// deno-lint-ignore no-explicit-any -- of any chunk type
export type WriterOptions = Omit<WebWriterOptions<any>, "size">;

const action = "create writer";

/**
 * The same as the Web `writer`, on `node:stream`: an object-mode `Writable` with up to `concurrency` writes in
 * flight. It closes after all of them, and fails with the first error once the others have settled.
 * A `write` that answers synchronously is exactly a hand-written `_write` that calls its callback before it returns.
 *
 * @throws {TypeError} If `write` is not a function, or an option is of the wrong type, unknown, or `size`.
 * @throws {RangeError} If `concurrency` or `highWaterMark` is out of range.
 *
 * @example
 * ```ts
 * import { pipeline, reader, writer } from "@hosepipe/streams/node";
 * import assert from "node:assert/strict";
 *
 * const written: number[] = [];
 * await pipeline(
 *   reader([1, 2, 3]),
 *   writer((chunk: number) => void written.push(chunk), { concurrency: 2 }),
 * );
 * assert.deepEqual(written, [1, 2, 3]);
 * ```
 */
// deno-lint-ignore no-explicit-any -- as `WritableStream` does, so that any write function fits
export function writer<Chunk = any>(
  write: (chunk: Chunk, index: number) => unknown,
  options: WriterOptions = {},
): Writable {
  const names = ["concurrency", "highWaterMark", "size", "close", "abort", "release"];
  checkOptions(action, options, names);
  refuseSize(action, options);
  const highWaterMark = checkHighWaterMark(action, options.highWaterMark);
  const sink = new WriteSink(write, options);
  const stream = sinkWritable(sink, highWaterMark);
  setEndMeaning(stream, { written: () => sink.written() });
  return stream;
}
