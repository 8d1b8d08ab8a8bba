import { checkFunction, checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import type { Open } from "../kernels/operation.ts";
import { operator } from "../kernels/operator.ts";
import type { Meaning } from "../kernels/registry.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import { Pool } from "./pool.ts";
import type { Transformer } from "../web_types.ts";

const action = "create parallel";

/** The most that is held unless `window` says more. */
const mostByDefault = 1024;

/** How `parallel` works. */
export interface ParallelOptions {
  /** How many calls may be in flight at a time, a positive integer. */
  concurrency: number;
  /** Whether results keep the order of the chunks they were made of. Default: `true`. */
  ordered?: boolean | undefined;
  /**
   * How many calls in flight and results that wait for an earlier one there may be together, an integer of at least
   * `concurrency`: what is held while the earliest call is slow. Only with `ordered`. Default: four times
   * `concurrency` but at most 1,024, and at least `concurrency`.
   */
  window?: number | undefined;
}

/**
 * Makes one chunk of each chunk, several at a time. The next chunk is taken as soon as there is room: a result
 * that waits for an earlier one leaves its place to another call, as far as `window` allows.
 *
 * The first error fails the stream. With `ordered`, that is the error of the earliest chunk, after the
 * results before it; no call starts once any has failed.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The type of the chunks that go out.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal` that aborts
 * when the stream is cancelled or aborted or another call has failed; returns the new chunk or a
 * promise of it.
 * @param options How many at a time, and in which order the results go out.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function, `concurrency` or `window` not a number, `ordered` not a
 * boolean, an option is unknown, or `window` is given though `ordered` is `false`.
 * @throws {RangeError} If `concurrency` or `window` is not a positive integer, or `window` less than `concurrency`.
 *
 * @example Two at a time, in order
 * ```ts
 * import { parallel } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const wait = async (ms: number) => {
 *   await new Promise((resolve) => setTimeout(resolve, ms));
 *   return ms;
 * };
 * const waited = ReadableStream.from([20, 1, 10])
 *   .pipeThrough(new TransformStream(parallel(wait, { concurrency: 2 })));
 *
 * assertEquals(await Array.fromAsync(waited), [20, 1, 10]);
 * ```
 */
export function parallel<I, O>(
  fn: (chunk: I, index: number, context: StageContext) => O | PromiseLike<O>,
  options: ParallelOptions,
): Transformer<I, O> {
  checkFunction(action, "fn", fn);
  checkOptions(action, options, ["concurrency", "ordered", "window"]);
  const { concurrency, ordered = true } = options ?? {};
  checkInteger(action, "concurrency", concurrency, 1);
  if (typeof ordered !== "boolean") throwTypeError(action, "ordered", "a boolean", ordered);
  const limits = { concurrency, ordered, window: readWindow(options) };

  const openWith = (call: typeof fn): Open<I, O> => (controller, context) => {
    const pool = new Pool(controller, limits, (error) => context.stop(error));
    let index = 0;
    return {
      transform(chunk) {
        if (pool.hasFailed) return pool.failure();
        let result: O | PromiseLike<O>;
        try {
          result = call(chunk, index++, context);
        } catch (error) {
          return pool.addError(error);
        }
        return isPromiseLike(result)
          ? pool.addPromise(result as PromiseLike<O>)
          : pool.addValue(result);
      },
      flush: () => pool.finish(),
      drain: () => pool.finish(),
      cancel: () => pool.stop(),
      get failedIndex() {
        return pool.failedIndex;
      },
    };
  };
  return operator(openWith(fn), {
    name: "parallel",
    remembers: "nothing",
    fn,
    openWith: openWith as Meaning["openWith"],
  });
}

/** Without an order nothing waits, and so the calls in flight are all that is held. */
function readWindow({ concurrency, ordered, window }: ParallelOptions): number {
  if (window === undefined) {
    return ordered === false
      ? concurrency
      : Math.max(concurrency, Math.min(4 * concurrency, mostByDefault));
  }
  checkInteger(action, "window", window, 1);
  if (ordered === false) {
    throw new TypeError(`Cannot ${action}: window needs ordered, which is false`);
  }
  if (window < concurrency) {
    throw new RangeError(
      `Cannot ${action}: window must be at least concurrency, ${concurrency}, got ${window}`,
    );
  }
  return window;
}
