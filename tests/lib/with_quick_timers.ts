import { withNotedTimers } from "./with_noted_timers.ts";

/**
 * Lets every timer that is set while `use` runs fire at once, and notes for how long each was set.
 *
 * @returns Those times, in milliseconds.
 */
export function withQuickTimers(use: () => Promise<unknown>): Promise<number[]> {
  return withNotedTimers(use, (set, callback) => set(callback, 0));
}
