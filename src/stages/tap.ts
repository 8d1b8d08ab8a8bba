import { checkFunction } from "../errors.ts";
import { setKernel } from "../fuse/kernels.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { perStream } from "./per_stream.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Shows each chunk to a function and hands it on unchanged.
 *
 * @typeParam T The type of the chunks.
 * @param fn Gets the chunk and its index, counted from 0 in each stream. What it returns is ignored,
 * save that the chunk waits for a promise; what it throws fails the stream.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example Counting bytes on their way
 * ```ts
 * import { tap } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * let bytes = 0;
 * const chunks = ReadableStream.from([new Uint8Array(3), new Uint8Array(4)])
 *   .pipeThrough(new TransformStream(tap((chunk: Uint8Array) => bytes += chunk.length)));
 *
 * assertEquals((await Array.fromAsync(chunks)).length, 2);
 * assertEquals(bytes, 7);
 * ```
 */
export function tap<T>(fn: (chunk: T, index: number) => unknown): Transformer<T, T> {
  checkFunction("create tap", "fn", fn);
  const stateOf = perStream(() => ({ index: 0 }));
  const transform = (
    chunk: T,
    controller: TransformStreamDefaultController<T>,
  ): void | PromiseLike<void> => {
    const result = fn(chunk, stateOf(controller).index++);
    if (isPromiseLike(result)) return result.then(() => controller.enqueue(chunk));
    controller.enqueue(chunk);
  };
  setKernel(transform, { kind: "tap", fn: fn as (chunk: unknown, index: number) => unknown });
  return { transform };
}
