import { isSignal } from "../check_signal.ts";
import { throwTypeError } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { streamStates } from "../kernels/stream_states.ts";
import type { Transformer } from "../web_types.ts";
import { watchPromise, watchSignal } from "./watch.ts";

/**
 * Lets chunks through until a signal aborts or a promise is fulfilled, and then ends the stream at once.
 * What is before it is cancelled; the signal's reason is not a failure.
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
  const states = streamStates((controller) => new Ending(end, controller as Controller), stop);
  return {
    get start() {
      return states.readStart();
    },
    transform(chunk, controller): void {
      controller.enqueue(chunk);
    },
    flush: (controller): void => stop(states.of(controller)),
    get cancel() {
      return states.readCancel() as (reason: unknown) => void;
    },
  };
}

type Controller = TransformStreamDefaultController<unknown>;

/** What ends one stream. */
class Ending {
  #stop: (() => void) | undefined;

  constructor(end: AbortSignal | PromiseLike<unknown>, controller: Controller) {
    const terminate = (): void => {
      this.stop();
      controller.terminate();
    };
    const fail = (reason: unknown): void => {
      this.stop();
      controller.error(reason);
    };
    if (!isSignal(end)) this.#stop = watchPromise(end, terminate, fail);
    else if (end.aborted) controller.terminate();
    else this.#stop = watchSignal(end, terminate);
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

function stop(ending: Ending): void {
  ending.stop();
}
