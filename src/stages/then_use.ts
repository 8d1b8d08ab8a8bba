import { isPromiseLike } from "../is_promise_like.ts";

/** Passes a value, or what its promise is fulfilled with, to `use`; answers what that answers, or a promise of it. */
export function thenUse<T, R>(value: T | PromiseLike<T>, use: (value: T) => R): R | Promise<R> {
  return isPromiseLike(value)
    ? Promise.resolve(value as PromiseLike<T>).then(use)
    : use(value as T);
}
