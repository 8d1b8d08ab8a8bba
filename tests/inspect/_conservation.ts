import { assert, assertEquals } from "@std/assert";
import type { ProbeEvent } from "@hosepipe/streams/inspect";

/** Asserts that at every event what was read is somewhere, for stages that make one chunk of one; answers how many. */
export function assertConserved(events: readonly ProbeEvent[]): number {
  let read = 0;
  let written = 0;
  for (const { event, stage, occupancy } of events) {
    if (event === "read") read++;
    if (event === "written") written++;
    const counts = Object.values(occupancy);
    assert(counts.every((count) => Number.isInteger(count) && count >= 0), `${event} ${counts}`);
    assertEquals(counts.reduce((sum, count) => sum + count, 0), read, `${event} of ${stage}`);
    assertEquals(occupancy.written, written);
  }
  return read;
}
