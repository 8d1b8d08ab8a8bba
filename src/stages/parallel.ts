import { checkFunction, checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import { Pool } from "./pool.ts";
import type { Transformer } from "../web_types.ts";

/** How `parallel` works. */
export interface ParallelOptions {
  /**
   * How many calls may be in flight at a time, a positive integer. With `ordered`, results that wait
   * for an earlier one count as well, so that nothing piles up.
   */
  concurrency: number;
  /** Whether results keep the order of the chunks they were made of. Default: `true`. */
  ordered?: boolean | undefined;
}

/**
 * Makes one chunk of each chunk, several at a time. The next chunk is taken as soon as there is room.
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
 * @throws {TypeError} If `fn` is not a function, `concurrency` not a number, `ordered` not a boolean, or
 * an option is unknown.
 * @throws {RangeError} If `concurrency` is not a positive integer.
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
  const action = "create parallel";
  checkFunction(action, "fn", fn);
  checkOptions(action, options, ["concurrency", "ordered"]);
  const { concurrency, ordered = true } = options ?? {};
  checkInteger(action, "concurrency", concurrency, 1);
  if (typeof ordered !== "boolean") throwTypeError(action, "ordered", "a boolean", ordered);

  return operator((controller, context) => {
    const pool = new Pool(controller, concurrency, ordered, (error) => context.stop(error));
    let index = 0;
    return {
      transform(chunk) {
        if (pool.hasFailed) return pool.failure();
        let result: O | PromiseLike<O>;
        try {
          result = fn(chunk, index++, context);
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
    };
  });
}
