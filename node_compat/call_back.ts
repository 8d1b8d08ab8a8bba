import { isPromiseLike } from "../src/is_promise_like.ts";
import { toError } from "../src/source/stage_error.ts";

/** What node's callback is given at the end of a call. */
export type Callback = (error?: Error | null) => void;

/**
 * Runs `method`, after `before` if that is given, and calls back when it is over: at once where it answers at once,
 * as a hand-written stream would.
 */
export function callBack(
  method: () => unknown,
  callback: Callback,
  before?: PromiseLike<unknown>,
): void {
  try {
    const result = before === undefined ? method() : before.then(method);
    if (isPromiseLike(result)) {
      Promise.resolve(result).then(() => callback(), (reason) => callback(toError(reason)));
      return;
    }
  } catch (reason) {
    callback(toError(reason));
    return;
  }
  callback();
}
