import { createDeferred } from "../deferred.ts";

const firstDelayMs = 20;
const longestDelayMs = 1_000;

/** Waits, but no longer than until `signal` aborts. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = createDeferred<void>();
  const timer = setTimeout(resolve, delayMs);
  const stop = () => {
    clearTimeout(timer);
    resolve();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", stop));
}

/** The pauses between attempts: longer each time, up to a second. */
export class Backoff {
  #delayMs = firstDelayMs;

  async pause(signal: AbortSignal): Promise<void> {
    // Not all workers at the same time, once what was away is back.
    await pause(this.#delayMs * (0.75 + Math.random() / 2), signal);
    this.#delayMs = Math.min(this.#delayMs * 2, longestDelayMs);
  }
}

/** Does something until it succeeds, or until `signal` aborts; reports each failure. Returns whether it was done. */
export async function retryUntilDone(
  attempt: () => PromiseLike<void>,
  signal: AbortSignal,
  onFailure: (reason: unknown) => void,
): Promise<boolean> {
  const backoff = new Backoff();
  while (true) {
    try {
      await attempt();
      return true;
    } catch (reason) {
      onFailure(reason);
    }
    if (signal.aborted) return false;
    await backoff.pause(signal);
    if (signal.aborted) return false;
  }
}
