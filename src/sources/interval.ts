import { checkDelay } from "../check_delay.ts";
import { Ticks } from "./ticks.ts";
import { namedStream } from "./named_stream.ts";

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
 * import { assertEquals } from "@std/assert";
 *
 * let looks = 0;
 * await pipeline(interval(1), take<number>(3), () => void looks++);
 *
 * assertEquals(looks, 3);
 * ```
 */
export function interval(ms: number): ReadableStream<number> {
  checkDelay("create interval", "ms", ms);
  if (ms === 0) throw new RangeError("Cannot create interval: ms must be above 0, got 0");
  return namedStream("interval", new Ticks(ms));
}
