import { isPromiseLike } from "./is_promise_like.ts";

/**
 * The promise that a method has answered, as `await` would make it; nothing if it has answered none. What throws when
 * it is asked is rejected.
 */
export function awaitable(answer: unknown): Promise<unknown> | undefined {
  if (answer === null || (typeof answer !== "object" && typeof answer !== "function")) return;
  try {
    return isPromiseLike(answer) ? Promise.resolve(answer) : undefined;
  } catch (reason) {
    return Promise.reject(reason);
  }
}

/** Waits as `await` does, and calls back: with a rejection also for what cannot even be waited for. */
export function whenSettled(
  promise: unknown,
  onFulfilled: (value: unknown) => void,
  onRejected: (reason: unknown) => void,
): Promise<void> {
  try {
    return Promise.resolve(promise).then(onFulfilled, onRejected);
  } catch (reason) {
    return Promise.reject(reason).catch(onRejected);
  }
}
