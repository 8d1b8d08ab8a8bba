import { isSignal } from "../check_signal.ts";
import { throwTypeError } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { operator } from "../kernels/operator.ts";
import type { Transformer } from "../web_types.ts";
import { watchSignal } from "../watch_signal.ts";

/**
 * Lets chunks through until a signal aborts or a promise is fulfilled, and then ends the stream at once.
 * The stages before it and the source are cancelled; the signal's reason is not a failure.
 *
 * @typeParam T The type of the chunks.
 * @param end An `AbortSignal`, or a promise; one that is rejected fails the stream with what it is
 * rejected with.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `end` is neither.
 *
 * @example Until it is stopped
 * ```ts
 * import { pipeline, takeUntil } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const stop = new AbortController();
 * const seen: number[] = [];
 * await pipeline([1, 2, 3, 4], takeUntil<number>(stop.signal), (n) => {
 *   seen.push(n);
 *   if (n === 2) stop.abort();
 * });
 *
 * assert.deepEqual(seen, [1, 2]);
 * ```
 */
export function takeUntil<T>(end: AbortSignal | PromiseLike<unknown>): Transformer<T, T> {
  if (!isSignal(end) && !isPromiseLike(end)) {
    throwTypeError("create takeUntil", "end", "an AbortSignal or a promise", end);
  }
  return operator((controller) => {
    let stopWatching = (): void => {};
    const stop: Watcher = (failure) => {
      stopWatching();
      if (failure === undefined) controller.terminate();
      else controller.error(failure.reason);
    };
    if (!isSignal(end)) stopWatching = watchPromise(end, stop);
    else if (end.aborted) controller.terminate();
    else stopWatching = watchSignal(end, () => stop());
    return {
      transform: (chunk) => controller.enqueue(chunk),
      flush: () => stopWatching(),
      cancel: () => stopWatching(),
    };
  }, { name: "takeUntil" });
}

/** Learns once that a promise has settled, and with what it was rejected, if so. */
type Watcher = (failure?: { readonly reason: unknown }) => void;

/** Those that watch a promise: it is asked once, since it cannot forget who asked. */
const watchersOf = new WeakMap<object, Set<Watcher>>();

/** Gives the function that stops watching. */
function watchPromise(promise: PromiseLike<unknown>, watcher: Watcher): () => void {
  const watchers = watchersOf.get(promise) ?? watch(promise);
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

function watch(promise: PromiseLike<unknown>): Set<Watcher> {
  const watchers = new Set<Watcher>();
  watchersOf.set(promise, watchers);
  const settle: Watcher = (failure) => {
    // A later one asks the promise again.
    watchersOf.delete(promise);
    for (const tell of [...watchers]) tell(failure);
  };
  promise.then(() => settle(), (reason) => settle({ reason }));
  return watchers;
}
