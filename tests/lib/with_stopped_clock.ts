import { withClock } from "./with_clock.ts";

/** Runs with a clock that stands still, so that no turn is over before its work is, however busy the machine. */
export function withStoppedClock<T>(run: () => Promise<T>): Promise<T> {
  const nowMs = performance.now();
  return withClock(() => nowMs, run);
}
