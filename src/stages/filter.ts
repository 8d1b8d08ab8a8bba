import { checkFunction } from "../errors.ts";
import { FilterKernel } from "../kernels/filter.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import { kernelTransformer } from "../kernels/kernel_transformer.ts";
import { NONE } from "../kernels/kernel.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import { boolean, integer, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import { Kept, openCalls, windowOf } from "./open_calls.ts";
import { thenUse } from "./then_use.ts";

/** How `filter` works. */
export interface FilterOptions {
  /** How many calls may be in flight at a time, a positive integer or `Infinity`. Default: 1. */
  concurrency?: number | undefined;
  /** Whether chunks keep their order; with `false` each goes on once its call has ended. Default: `true`. */
  ordered?: boolean | undefined;
}

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
 * import assert from "node:assert/strict";
 *
 * const isString = (chunk: string | number): chunk is string => typeof chunk === "string";
 * const strings: ReadableStream<string> = ReadableStream.from<string | number>(["a", 1, "b"])
 *   .pipeThrough(new TransformStream(filter(isString)));
 *
 * assert.deepEqual(await Array.fromAsync(strings), ["a", "b"]);
 * ```
 */
export function filter<I, O extends I>(
  fn: (chunk: I, index: number, context: StageContext) => chunk is O,
): Transformer<I, O>;
/**
 * Keeps the chunks for which a function returns a truthy value.
 *
 * With a `concurrency` above 1 it is called with so many at a time, as by `parallel`.
 *
 * @typeParam T The type of the chunks.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a
 * `signal` that aborts when the stream is cancelled or aborted, or another call has failed; returns whether it stays,
 * or a promise of that.
 * @param options How many at a time, and in which order they go on.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function, `concurrency` not a number, `ordered` not a boolean, or an option is
 * unknown.
 * @throws {RangeError} If `concurrency` is neither a positive integer nor `Infinity`.
 *
 * @example Even numbers
 * ```ts
 * import { filter } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const even = ReadableStream.from([1, 2, 3, 4])
 *   .pipeThrough(new TransformStream(filter((chunk: number) => chunk % 2 === 0)));
 *
 * assert.deepEqual(await Array.fromAsync(even), [2, 4]);
 * ```
 *
 * @example Links that work, ten looked at a time
 * ```ts
 * import { filter, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const works = (link: string) => Promise.resolve(link !== "/gone");
 * const links = await toArray(["/a", "/gone", "/b"], filter(works, { concurrency: 10 }));
 *
 * assert.deepEqual(links, ["/a", "/b"]);
 * ```
 */
export function filter<T>(
  fn: (chunk: T, index: number, context: StageContext) => unknown,
  options?: FilterOptions,
): Transformer<T, T>;
export function filter<T>(
  fn: (chunk: T, index: number, context: StageContext) => unknown,
  options: FilterOptions = {},
): Transformer<T, T> {
  const action = "create filter";
  checkFunction(action, "fn", fn);
  const readers = { concurrency: integer(1, 1, true), ordered: boolean(true) };
  const { concurrency, ordered } = readOptions(action, options, readers);
  if (concurrency > 1) return filterSeveral(fn as StageFunction, concurrency, ordered);
  return kernelTransformer(() => new FilterKernel(fn as StageFunction), "filter", fn);
}

/** Of several calls at a time, what stays is what they make of a chunk. */
function filterSeveral<T>(
  fn: StageFunction,
  concurrency: number,
  ordered: boolean,
): Transformer<T, T> {
  const keep: StageFunction = (chunk, index, context) =>
    thenUse(fn(chunk, index, context), (verdict) => verdict ? new Kept(chunk) : NONE);
  // It is listed by the name of what it stands for.
  Object.defineProperty(keep, "name", { value: fn.name });
  const plan = { concurrency, ordered, window: windowOf(concurrency, ordered), stopOnError: true };
  const openWith = (call: StageFunction) => openCalls<unknown, unknown>(call, plan);
  return operator(openWith(keep), { name: "filter", remembers: "nothing", fn: keep, openWith });
}
