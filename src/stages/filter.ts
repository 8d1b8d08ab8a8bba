import { checkFunction } from "../errors.ts";
import { FilterKernel } from "../kernels/filter.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import { kernelTransformer } from "../kernels/kernel_transformer.ts";
import { runOneNatively } from "../kernels/one_operation.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Keeps the chunks that a type guard accepts.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The narrower type of the chunks that go out.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a
 * `signal` that aborts when the stream is cancelled or aborted; answers whether it stays.
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
  fn: (chunk: I, index: number, context: StageContext) => chunk is O,
): Transformer<I, O>;
/**
 * Keeps the chunks for which a function returns a truthy value.
 *
 * @typeParam T The type of the chunks.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a
 * `signal` that aborts when the stream is cancelled or aborted; returns whether it stays, or
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
  fn: (chunk: T, index: number, context: StageContext) => unknown,
): Transformer<T, T>;
export function filter<T>(
  fn: (chunk: T, index: number, context: StageContext) => unknown,
): Transformer<T, T> {
  checkFunction("create filter", "fn", fn);
  return kernelTransformer(
    () => new FilterKernel(fn as StageFunction),
    runOneNatively,
    "filter",
    fn,
  );
}
