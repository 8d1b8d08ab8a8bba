import { throwTypeError } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import type { Open } from "../kernels/operation.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import { Pool, type PoolLimits } from "./pool.ts";

/** How many calls there are at a time, and which follow others. */
export interface CallPlan<I> extends PoolLimits {
  readonly key?: ((chunk: I, index: number) => unknown) | undefined;
}

/** What passes on, in one stream, what a function makes of each chunk, several at a time; `NONE` is not passed on. */
export function openCalls<I, O>(
  call: (chunk: I, index: number, context: StageContext) => O | PromiseLike<O>,
  plan: CallPlan<I>,
): Open<I, O> {
  const { key } = plan;
  return (controller, context) => {
    const pool = new Pool(controller, plan, (error) => context.stop(error));
    let index = 0;
    return {
      transform(chunk) {
        if (pool.hasFailed) return pool.failure();
        const at = index++;
        let result: O | PromiseLike<O>;
        try {
          if (key !== undefined) {
            const ofKey = readKey(key(chunk, at));
            return pool.addCall(ofKey, () => call(chunk, at, context));
          }
          result = call(chunk, at, context);
        } catch (error) {
          return pool.addError(error);
        }
        return isPromiseLike(result)
          ? pool.addPromise(result as PromiseLike<O>)
          : pool.addValue(result);
      },
      flush: () => pool.end(),
      flushNow: () => pool.finish(),
      drain: () => pool.finish(),
      cancel: () => pool.stop(),
      waiting: () => pool.waiting(),
      get failedIndex() {
        return pool.failedIndex;
      },
      get doneCount() {
        return pool.doneCount;
      },
    };
  };
}

function readKey(key: unknown): unknown {
  if (isPromiseLike(key)) throwTypeError("find the key of a chunk", "it", "no promise", key);
  return key;
}
