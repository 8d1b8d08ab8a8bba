import { checkFunction } from "../errors.ts";
import { setKernel } from "../fuse/kernels.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { perStream } from "./per_stream.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Lets through the chunks of which a type guard says that they are of the narrower type.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The narrower type of the chunks that go out.
 * @param fn Gets the chunk and its index, counted from 0 in each stream; answers whether it stays.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example Only strings
 * ```ts
 * import { filter } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const isString = (chunk: string | number): chunk is string => typeof chunk === "string";
 * const strings: ReadableStream<string> = ReadableStream.from<string | number>(["a", 1, "b"])
 *   .pipeThrough(new TransformStream(filter(isString)));
 *
 * assertEquals(await Array.fromAsync(strings), ["a", "b"]);
 * ```
 */
export function filter<I, O extends I>(
  fn: (chunk: I, index: number) => chunk is O,
): Transformer<I, O>;
/**
 * Lets through the chunks for which a function answers with a truthy value.
 *
 * @typeParam T The type of the chunks.
 * @param fn Gets the chunk and its index, counted from 0 in each stream; returns whether it stays, or
 * a promise of that.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example Even numbers
 * ```ts
 * import { filter } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const even = ReadableStream.from([1, 2, 3, 4])
 *   .pipeThrough(new TransformStream(filter((chunk: number) => chunk % 2 === 0)));
 *
 * assertEquals(await Array.fromAsync(even), [2, 4]);
 * ```
 */
export function filter<T>(
  fn: (chunk: T, index: number) => unknown,
): Transformer<T, T>;
export function filter<T>(fn: (chunk: T, index: number) => unknown): Transformer<T, T> {
  checkFunction("create filter", "fn", fn);
  const stateOf = perStream(() => ({ index: 0 }));
  const transform = (
    chunk: T,
    controller: TransformStreamDefaultController<T>,
  ): void | PromiseLike<void> => {
    const stays = fn(chunk, stateOf(controller).index++);
    if (isPromiseLike(stays)) {
      return stays.then((value) => {
        if (value) controller.enqueue(chunk);
      });
    }
    if (stays) controller.enqueue(chunk);
  };
  setKernel(transform, { kind: "filter", fn: fn as (chunk: unknown, index: number) => unknown });
  return { transform };
}
