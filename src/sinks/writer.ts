import { checkOptions } from "../errors.ts";
import { setEndMeaning } from "../kernels/end_meaning.ts";
import { toStrategy } from "../strategy.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { WriterOptions } from "./writer_options.ts";
import { WriteSink } from "./write_sink.ts";

/**
 * Makes a `WritableStream` of a function, with up to `concurrency` writes in flight: the next begins as
 * soon as any of them finishes.
 *
 * When a write fails, no other begins; once those in flight have settled, the stream fails with the
 * first error. What a default writer's `write()` returns is fulfilled when there is room for the next
 * chunk, which with a concurrency above 1 may be before its own write has finished; `close()` waits for all, and so does
 * `pipeline`, also with `preventClose`.
 *
 * @typeParam T The type of the chunks.
 * @param write Gets the chunk, its index, counted from 0, and a context with a `signal` that aborts when the stream
 * is aborted or another write has failed; may return a promise of its end.
 * @param options The concurrency, the queue, and what to do at the end.
 * @throws {TypeError} If a function is not one, a number is not one, or an option is unknown.
 * @throws {RangeError} If `concurrency` is neither a positive integer nor `Infinity`, or `highWaterMark` negative.
 *
 * @example Two at a time
 * ```ts
 * import { writer } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const finished: number[] = [];
 * const wait = async (ms: number) => {
 *   await new Promise((resolve) => setTimeout(resolve, ms));
 *   finished.push(ms);
 * };
 *
 * await ReadableStream.from([100, 1, 2]).pipeTo(writer(wait, { concurrency: 2 }));
 * assert.deepEqual(finished, [1, 2, 100]);
 * ```
 */
export function writer<T>(
  write: (chunk: T, index: number, context: StageContext) => unknown,
  options: WriterOptions<T> = {},
): WritableStream<T> {
  const action = "create writer";
  checkOptions(action, options, [
    "concurrency",
    "highWaterMark",
    "size",
    "close",
    "abort",
    "release",
  ]);
  const sink = new WriteSink(write, options);
  const stream = new WritableStream(sink, toStrategy(action, options));
  setEndMeaning(stream, {
    name: "writer",
    fn: write,
    waiting: () => sink.waiting(),
    started: () => sink.started,
    written: () => sink.written(),
  });
  return stream;
}
