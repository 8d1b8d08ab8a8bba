import { checkOptions, throwTypeError } from "../errors.ts";
import { HeldTime } from "./held_time.ts";
import { replaceTime } from "./replace_time.ts";
import { VirtualClock } from "./virtual_clock.ts";
import type { VirtualTime, VirtualTimeOptions } from "./virtual_time_types.ts";

/** Marks a realm whose time is virtual, for other copies of this module, too. */
const mark = Symbol.for("hosepipe.virtualTime");

/**
 * Replaces the realm's time by one that moves only as a test moves it, until it is disposed.
 *
 * Replaced are `setTimeout`, `setInterval`, `setImmediate` and what clears them, `Date`, `performance.now`,
 * `AbortSignal.timeout`, and `scheduler.postTask` and `scheduler.yield` where there are such. Not replaced: what was
 * taken from the realm before, as by `const { setTimeout } = globalThis`; what modules export, such as `node:timers` and
 * `node:timers/promises`; `process.hrtime`, `process.nextTick`, `Deno.cron`, `Bun.sleep`; and other realms, such as
 * workers.
 *
 * @param options `startsAt`: the date when it begins, as a `Date` or in milliseconds since 1970 (default: the beginning
 * of 2000, UTC, so that each run of a test sees the same).
 * @returns The time; `await using` puts the real one back at the end of the block, `restore` at once.
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If `startsAt` is not a date.
 * @throws {Error} If the realm's time is virtual already.
 *
 * @example A minute in no time
 * ```ts
 * import { interval, take, toArray } from "@hosepipe/streams";
 * import { virtualTime } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * await using time = virtualTime();
 * const ticks = await time.run(toArray(interval(20_000), take<number>(3)));
 *
 * assert.deepEqual([ticks, time.now], [[0, 1, 2], 60_000]);
 * ```
 */
export function virtualTime(options: VirtualTimeOptions = {}): VirtualTime {
  const action = "replace the time";
  checkOptions(action, options, ["startsAt"]);
  const { startsAt = Date.UTC(2000, 0) } = options;
  if (typeof startsAt !== "number" && !(startsAt instanceof Date)) {
    throwTypeError(action, "startsAt", "a Date or a number", startsAt);
  }
  const startsAtMs = new Date(startsAt).getTime();
  if (Number.isNaN(startsAtMs)) {
    throw new RangeError(`Cannot ${action}: startsAt must be a valid date, got ${startsAt}`);
  }
  if (Object.hasOwn(globalThis, mark)) {
    throw new Error(`Cannot ${action}: it is virtual already; dispose that one first`);
  }
  const clock = new VirtualClock();
  const restore = replaceTime(clock, startsAtMs);
  Object.defineProperty(globalThis, mark, { value: true, configurable: true });
  return new HeldTime(clock, () => {
    restore();
    Reflect.deleteProperty(globalThis, mark);
  });
}
