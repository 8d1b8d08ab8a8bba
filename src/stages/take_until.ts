import { isSignal } from "../check_signal.ts";
import { throwTypeError } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import type { Transformer } from "../web_types.ts";
import { watchPromise, watchSignal } from "./watch.ts";

/**
 * Lets chunks through until a signal aborts or a promise is fulfilled, and then ends the stream at once.
 * What is before it is cancelled; that the signal has a reason is no failure.
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
 * import { assertEquals } from "@std/assert";
 *
 * const stop = new AbortController();
 * const seen: number[] = [];
 * await pipeline([1, 2, 3, 4], takeUntil<number>(stop.signal), (n) => {
 *   seen.push(n);
 *   if (n === 2) stop.abort();
 * });
 *
 * assertEquals(seen, [1, 2]);
 * ```
 */
export function takeUntil<T>(end: AbortSignal | PromiseLike<unknown>): Transformer<T, T> {
  if (!isSignal(end) && !isPromiseLike(end)) {
    throwTypeError("create takeUntil", "end", "an AbortSignal or a promise", end);
  }
  /** What stops watching, for each open stream; which one is cancelled, the standard does not tell. */
  const watching = new Map<object, () => void>();
  let open = 0;
  const stop = (controller: object): void => {
    watching.get(controller)?.();
    watching.delete(controller);
  };
  const close = (): void => {
    if (--open > 0) return;
    for (const controller of watching.keys()) stop(controller);
  };

  return {
    start(controller): void {
      open++;
      const terminate = (): void => {
        stop(controller);
        close();
        controller.terminate();
      };
      if (isSignal(end)) {
        if (end.aborted) return terminate();
        watching.set(controller, watchSignal(end, terminate));
        return;
      }
      const fail = (reason: unknown): void => {
        stop(controller);
        close();
        controller.error(reason);
      };
      watching.set(controller, watchPromise(end, terminate, fail));
    },
    transform(chunk, controller): void {
      controller.enqueue(chunk);
    },
    flush(controller): void {
      stop(controller);
      close();
    },
    cancel: close,
  };
}
