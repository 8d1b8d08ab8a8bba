import { checkFunction } from "../errors.ts";
import { setKernel } from "../fuse/kernels.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { busyStreams } from "./busy_streams.ts";
import { Iteration } from "./iteration.ts";
import { perStream } from "./per_stream.ts";
import type { Transformer } from "../web_types.ts";

/** What the function given to `flatMap` may return: chunks, at once or as they come. */
export type FlatMapResult<O> = Iterable<O> | AsyncIterable<O>;

/**
 * Makes any number of chunks of each chunk: those of the iterable or async iterable that `fn` returns.
 *
 * An array goes out whole. Any other iterable is read only while there is room in the queue, so it may
 * be endless; when the stream is cancelled it is closed by its `return()`. A string is an iterable of
 * its characters.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The type of the chunks that go out.
 * @param fn Gets the chunk and its index, counted from 0 in each stream; returns an iterable, an async
 * iterable, or a promise of either.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example Words of lines
 * ```ts
 * import { flatMap } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const words = ReadableStream.from(["to be", "or not"])
 *   .pipeThrough(new TransformStream(flatMap((line: string) => line.split(" "))));
 *
 * assertEquals(await Array.fromAsync(words), ["to", "be", "or", "not"]);
 * ```
 */
export function flatMap<I, O>(
  fn: (chunk: I, index: number) => FlatMapResult<O> | PromiseLike<FlatMapResult<O>>,
): Transformer<I, O> {
  checkFunction("create flatMap", "fn", fn);
  const stateOf = perStream(() => ({ index: 0, highWaterMark: 0 }));
  const paused = busyStreams<Iteration<O>>();

  const flatten = (
    result: FlatMapResult<O>,
    controller: TransformStreamDefaultController<O>,
  ): void | Promise<void> => {
    if (!Array.isArray(result)) {
      const { highWaterMark } = stateOf(controller);
      return new Iteration(result, controller, highWaterMark, paused.states).run();
    }
    // An array's chunks are in memory already: waiting for room would save none.
    for (let index = 0; index < result.length; index++) controller.enqueue(result[index]);
  };

  const transformer = {
    start(controller: TransformStreamDefaultController<O>): void {
      paused.started();
      // Nothing is queued yet, so what is desired is the whole high-water mark.
      stateOf(controller).highWaterMark = controller.desiredSize ?? 0;
    },
    transform(
      chunk: I,
      controller: TransformStreamDefaultController<O>,
    ): void | PromiseLike<void> {
      const result = fn(chunk, stateOf(controller).index++);
      if (isPromiseLike(result)) {
        return result.then((iterable) => flatten(iterable as FlatMapResult<O>, controller));
      }
      return flatten(result, controller);
    },
    flush: paused.finished,
    async cancel(): Promise<void> {
      const iteration = paused.cancelled();
      if (iteration !== undefined) await iteration.stop();
      else for (const candidate of paused.states) candidate.doubt();
    },
  };
  setKernel(transformer.transform, {
    kind: "flatMap",
    fn: fn as (chunk: unknown, index: number) => unknown,
  });
  return transformer;
}
