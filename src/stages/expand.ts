import { checkFunction, checkInteger, checkOptions } from "../errors.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";
import { Expansion } from "./expansion.ts";
import type { FlatMapResult } from "./flat_map.ts";
import { type DistinctOptions, readDistinctOptions } from "./known_keys.ts";

/** How `expand` works, and its bounds. */
export interface ExpandOptions<T> {
  /** How many calls may be in flight at a time, a positive integer or `Infinity`. Default: 1. */
  concurrency?: number | undefined;
  /** How many chunks may wait for a call, a positive integer; one more fails the stream. Default: 10,000. */
  maxPending?: number | undefined;
  /** Skips chunks that were there before, with the options of `distinct`. Default: none is skipped. */
  distinct?: DistinctOptions<T> | undefined;
}

/**
 * Passes each chunk on, and calls a function with it that gives further chunks, with which it does the same, until
 * nothing is left: a crawler, a tree, pages that name the next.
 *
 * Chunks go out as they are found, and are called with in that order; with a `concurrency` of 1 that is by
 * levels. What the function gives is read only while there is room, one chunk ahead for each call; the next chunk of
 * the source is read when none waits and a call is free. The first failure is the stream's. If the source or an
 * earlier stage fails, what has begun goes on until nothing is left.
 *
 * @typeParam T The type of the chunks.
 * @param fn Gets the chunk, the number of the call, counted from 0 in each stream, and a context with a `signal`;
 * returns an iterable, an async iterable, or a promise of either.
 * @param options How many calls at a time, and the bounds.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. More than `maxPending` chunks that
 * wait fail the stream with a `RangeError`.
 * @throws {TypeError} If `fn` is not a function, a number is not one, or an option is unknown.
 * @throws {RangeError} If a number is not a positive integer, nor `concurrency` `Infinity`.
 *
 * @example A crawler
 * ```ts
 * import { expand, toArray } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const links: Record<string, string[]> = { "/": ["/a", "/b"], "/a": ["/b", "/"], "/b": ["/c"], "/c": [] };
 * const crawl = expand((page: string) => Promise.resolve(links[page]!), { distinct: {} });
 *
 * assertEquals(await toArray(["/"], crawl), ["/", "/a", "/b", "/c"]);
 * ```
 */
export function expand<T>(
  fn: (
    chunk: T,
    index: number,
    context: StageContext,
  ) => FlatMapResult<T> | PromiseLike<FlatMapResult<T>>,
  options: ExpandOptions<T> = {},
): Transformer<T, T> {
  const action = "create expand";
  checkFunction(action, "fn", fn, true);
  checkOptions(action, options, ["concurrency", "maxPending", "distinct"]);
  const { concurrency = 1, maxPending = 10_000, distinct } = options;
  checkInteger(action, "concurrency", concurrency, 1, true);
  checkInteger(action, "maxPending", maxPending, 1);
  const plan = {
    fn: fn as StageFunction,
    concurrency,
    maxPending,
    distinct: distinct === undefined ? undefined : readDistinctOptions(action, distinct),
  };
  return operator((controller, context) => new Expansion(plan, controller, context), {
    name: "expand",
    fn,
  });
}
