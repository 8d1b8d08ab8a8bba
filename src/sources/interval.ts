import { checkDelay } from "../check_delay.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { namedStream } from "./direct_stream.ts";

/**
 * Gives 0, 1, 2 and so on, one every `ms` milliseconds from the first read on, without an end.
 *
 * It runs on demand: no timer is set while nothing reads. Who reads more slowly misses ticks instead of making them
 * pile up, and the next read gives the latest at once: a number says which tick it is.
 *
 * @param ms Milliseconds from one tick to the next, a number above 0 and up to 2,147,483,647.
 * @returns A stream with a `highWaterMark` of 0. Cancelling it stops the timer.
 * @throws {TypeError} If `ms` is not a number.
 * @throws {RangeError} If `ms` is out of range.
 *
 * @example Three looks at a queue
 * ```ts
 * import { interval, pipeline, take } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * let looks = 0;
 * await pipeline(interval(1), take<number>(3), () => void looks++);
 *
 * assert.deepEqual(looks, 3);
 * ```
 */
export function interval(ms: number): ReadableStream<number> {
  checkDelay("create interval", "ms", ms);
  if (ms === 0) throw new RangeError("Cannot create interval: ms must be above 0, got 0");
  return namedStream("interval", new Ticks(ms));
}

type Controller = ReadableStreamDefaultController<number>;

/** The underlying source that counts the time. */
class Ticks implements UnderlyingDefaultSource<number> {
  readonly #ms: number;
  #startedAtMs: number | undefined;
  /** The tick that is next at the earliest. */
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #endPull: (() => void) | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  pull(controller: Controller): void | Promise<void> {
    this.#startedAtMs ??= performance.now();
    const dueInMs = this.#startedAtMs + (this.#next + 1) * this.#ms - performance.now();
    if (dueInMs <= 0) return this.#give(controller);
    return new Promise((resolve) => {
      this.#endPull = resolve;
      this.#timer = setTimeout(() => {
        this.#give(controller);
        resolve();
      }, dueInMs);
    });
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#endPull?.();
  }

  #give(controller: Controller): void {
    const passedMs = performance.now() - this.#startedAtMs!;
    // Timers may fire a little early.
    const tick = Math.max(this.#next, Math.floor(passedMs / this.#ms) - 1);
    this.#next = tick + 1;
    controller.enqueue(tick);
  }
}
