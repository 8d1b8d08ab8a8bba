import { checkFunction } from "../errors.ts";
import { setKernel } from "../fuse/kernels.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { perStream } from "./per_stream.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Makes one chunk of each chunk.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The type of the chunks that go out.
 * @param fn Gets the chunk and its index, counted from 0 in each stream; returns the new chunk or a
 * promise of it. The next chunk waits for that promise; see `parallel` for several at a time. What it
 * got it may return as it is, even a chunk that is a promise.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example Numbering lines
 * ```ts
 * import { map } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const numbered = ReadableStream.from(["a", "b"])
 *   .pipeThrough(new TransformStream(map((line: string, index) => `${index + 1}: ${line}`)));
 *
 * assertEquals(await Array.fromAsync(numbered), ["1: a", "2: b"]);
 * ```
 */
export function map<I, O>(
  fn: (chunk: I, index: number) => O | PromiseLike<O>,
): Transformer<I, O> {
  checkFunction("create map", "fn", fn);
  const stateOf = perStream(() => ({ index: 0 }));
  const transform = (
    chunk: I,
    controller: TransformStreamDefaultController<O>,
  ): void | PromiseLike<void> => {
    const result = fn(chunk, stateOf(controller).index++);
    if ((result as unknown) !== chunk && isPromiseLike(result)) {
      return result.then((value) => controller.enqueue(value as O));
    }
    controller.enqueue(result as O);
  };
  setKernel(transform, { kind: "map", fn: fn as (chunk: unknown, index: number) => unknown });
  return { transform };
}
