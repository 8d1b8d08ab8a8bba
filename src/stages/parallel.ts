import { checkBoolean, checkFunction, checkInteger, checkOptions } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { Meaning } from "../kernels/registry.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import { openCalls, windowOf } from "./open_calls.ts";
import type { Transformer } from "../web_types.ts";

const action = "create parallel";

/**
 * How `parallel` works.
 *
 * @typeParam I The type of the chunks.
 */
export interface ParallelOptions<I = unknown> {
  /**
   * How many calls may be in flight at a time, a positive integer or `Infinity`: then one for each chunk of the source,
   * as fast as it gives them.
   */
  concurrency: number;
  /** Whether results keep the order of the chunks they were made of. Default: `true`. */
  ordered?: boolean | undefined;
  /**
   * How many calls in flight, results that wait for an earlier one, and chunks that wait for a call with their key
   * there may be together, an integer of at least `concurrency`, or `Infinity`: what is held while a call is slow. Only with `ordered`
   * or `key`. Default: four times `concurrency` but at most 1,024, and at least `concurrency`.
   */
  window?: number | undefined;
  /**
   * Gets the chunk and its index, and returns its key, compared as those of a `Map`: of chunks with the same key one
   * is called with at a time, in their order. Default: no chunk waits for another.
   */
  key?: ((chunk: I, index: number) => unknown) | undefined;
  /**
   * Whether the first call that fails is the end. With `false` all go on; at the end of its chunks the stream fails with
   * an `AggregateError` of what calls have failed with, in the order of their chunks, all of which is held until then.
   * Default: `true`.
   */
  stopOnError?: boolean | undefined;
}

/**
 * Makes one chunk of each chunk, several at a time. The next chunk is taken as soon as there is room: a result
 * that waits for an earlier one leaves its place to another call, as far as `window` allows.
 *
 * The first error fails the stream. With `ordered`, that is the error of the earliest chunk, after the
 * results before it; no call starts once any has failed. If the source or an earlier stage fails, the calls in flight
 * finish, and their results go out first. With `key`, calls with chunks of one key follow each
 * other, while those of other keys go on; a chunk that waits so takes no place of a call. With `stopOnError: false`
 * no failure of a call stops the others; that of the source still does, and an early end drops them.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The type of the chunks that go out.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal` that aborts
 * when the stream is cancelled or aborted or another call has failed; returns the new chunk or a
 * promise of it.
 * @param options How many at a time, and in which order the results go out.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function, `concurrency` or `window` not a number, `ordered` or `stopOnError` not a
 * boolean, `key` not a function, an option is unknown, or `window` is given though `ordered` is `false` and there is
 * no `key`. What `key` returns may not be a promise.
 * @throws {RangeError} If `concurrency` or `window` is neither a positive integer nor `Infinity`, or `window` less than `concurrency`.
 *
 * @example Two at a time, in order
 * ```ts
 * import { parallel, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const wait = async (ms: number) => {
 *   await new Promise((resolve) => setTimeout(resolve, ms));
 *   return ms;
 * };
 * const waited = await toArray([20, 1, 10], parallel(wait, { concurrency: 2 }));
 *
 * assert.deepEqual(waited, [20, 1, 10]);
 * ```
 *
 * @example All that can be had, and all errors at the end
 * ```ts
 * import { parallel, pipeline } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const load = parallel(
 *   (id: number) => id % 2 === 0 ? Promise.resolve(id) : Promise.reject(`no ${id}`),
 *   { concurrency: 2, stopOnError: false },
 * );
 * const loaded: number[] = [];
 * const error = await pipeline([1, 2, 3, 4], load, (id) => void loaded.push(id))
 *   .catch((error: AggregateError) => error);
 *
 * assert.ok(error instanceof AggregateError);
 * assert.deepEqual([loaded, error.errors], [[2, 4], ["no 1", "no 3"]]);
 * ```
 */
export function parallel<I, O>(
  fn: (chunk: I, index: number, context: StageContext) => O | PromiseLike<O>,
  options: ParallelOptions<I>,
): Transformer<I, O> {
  checkFunction(action, "fn", fn);
  checkOptions(action, options, ["concurrency", "ordered", "window", "key", "stopOnError"]);
  const { concurrency, ordered = true, key, stopOnError = true } = options ?? {};
  checkInteger(action, "concurrency", concurrency, 1, true);
  checkBoolean(action, "ordered", ordered);
  checkBoolean(action, "stopOnError", stopOnError);
  if (key !== undefined) checkFunction(action, "key", key);
  const plan = { concurrency, ordered, window: readWindow(options), stopOnError, key };

  const openWith = (call: typeof fn) => openCalls(call, plan);
  return operator(openWith(fn), {
    name: "parallel",
    remembers: "nothing",
    fn,
    openWith: openWith as Meaning["openWith"],
  });
}

/** Without an order and keys nothing waits, and so the calls in flight are all that is held. */
function readWindow({ concurrency, ordered, window, key }: ParallelOptions<never>): number {
  const isWaited = ordered !== false || key !== undefined;
  if (window === undefined) return windowOf(concurrency, isWaited);
  checkInteger(action, "window", window, 1, true);
  if (!isWaited) {
    throw new TypeError(`Cannot ${action}: window needs key or ordered, which is false`);
  }
  if (window < concurrency) {
    throw new RangeError(
      `Cannot ${action}: window must be at least concurrency, ${concurrency}, got ${window}`,
    );
  }
  return window;
}
