import { Completion } from "../completion.ts";

const { then } = Promise.prototype;

/** What is done with what a promise comes to. */
type Settled = (value: unknown) => void;

/**
 * Looks at how a promise settles, before its user learns of it; answers what the user is to be given. A promise of the
 * language is given as it is, and so takes no turn of the microtasks longer.
 */
export function watchPromise(
  promise: PromiseLike<unknown>,
  fulfilled: Settled,
  rejected: Settled,
): PromiseLike<unknown> {
  if (promise instanceof Promise && promise.constructor === Promise) {
    then.call(promise, fulfilled, rejected);
    return promise;
  }
  if (promise instanceof Completion) {
    promise.then(fulfilled as () => void, rejected);
    return promise;
  }
  return mapPromise(promise, (value) => {
    fulfilled(value);
    return value;
  }, rejected);
}

/** A promise of what `map` makes of the value, which asks `promise` when it is asked itself. */
export function mapPromise(
  promise: PromiseLike<unknown>,
  map: (value: unknown) => unknown,
  rejected: Settled,
): PromiseLike<unknown> {
  let isSettled = false;
  let mapped: unknown;
  return {
    then(onFulfilled, onRejected) {
      return promise.then((value) => {
        if (!isSettled) mapped = map(value);
        isSettled = true;
        return (onFulfilled ? onFulfilled(mapped) : mapped) as never;
      }, (reason) => {
        if (!isSettled) rejected(reason);
        isSettled = true;
        if (onRejected) return onRejected(reason) as never;
        throw reason;
      });
    },
  };
}
