import type { ProbeEvent } from "@hosepipe/streams";

/** What came of a run. */
export interface Outcome {
  /** How many chunks were read before the first had been written. */
  readonly read: number;
  /** The event before the first chunk was written; `undefined` if none ever will be. */
  readonly atIndex: number | undefined;
}

/** Counts what was read before the first chunk was written; `undefined` while that is open. */
export function outcomeOf(
  events: readonly ProbeEvent[],
  isStill: boolean,
): Outcome | undefined {
  const written = events.findIndex(({ event }) => event === "written");
  if (written < 0 && !isStill) return undefined;
  const before = written < 0 ? events : events.slice(0, written);
  const read = before.filter(({ event }) => event === "read").length;
  return { read, atIndex: written < 0 ? undefined : Math.max(0, written - 1) };
}
