import { checkFunction } from "../errors.ts";
import { FlatMapKernel } from "../kernels/flat_map.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import { runManyNatively } from "../kernels/drain_loop.ts";
import { kernelTransformer } from "../kernels/kernel_transformer.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";

/** What the function given to `flatMap` may return: chunks, at once or as they come. */
export type FlatMapResult<O> = Iterable<O> | AsyncIterable<O>;

/**
 * Replaces each chunk by any number of chunks: those of the iterable or async iterable that `fn` returns.
 *
 * An array goes out whole. Any other iterable is read only while there is room in the queue, so it may
 * be endless; when the stream is cancelled it is closed by its `return()`. A string is an iterable of
 * its characters.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The type of the chunks that go out.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a
 * `signal` that aborts when the stream is cancelled or aborted; returns an iterable, an async
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
  fn: (
    chunk: I,
    index: number,
    context: StageContext,
  ) => FlatMapResult<O> | PromiseLike<FlatMapResult<O>>,
): Transformer<I, O> {
  checkFunction("create flatMap", "fn", fn, true);
  return kernelTransformer(
    () => new FlatMapKernel(fn as StageFunction),
    runManyNatively,
    "flatMap",
    fn,
  );
}
