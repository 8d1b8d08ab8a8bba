import type { ProbeEvent } from "@hosepipe/streams";
import { describeEvent } from "../../words/describe_event.ts";

/** How many events lead up to the one that counts. */
const shown = 4;

/** Events that move chunks or demand, which explain how full a buffer is. */
const telling: ReadonlySet<ProbeEvent["event"]> = new Set([
  "read",
  "transform",
  "write",
  "written",
  "backpressure",
  "drain",
]);

/** The event that made a figure so, with those that led up to it, and what the buffers held then. */
export function because(events: readonly ProbeEvent[], last: ProbeEvent | undefined): string[] {
  if (last === undefined) return ["No such event happened."];
  const before = events.filter(({ seq, event }) => seq <= last.seq && telling.has(event))
    .slice(-shown);
  return before.map((event) => {
    const { readerOut, transformerIn, transforming, transformerOut, writerIn, writing } =
      event.occupancy;
    const held = [readerOut, transformerIn + transforming, transformerOut, writerIn + writing];
    return `${describeEvent(event)}; the four buffers hold ${held.join(", ")}`;
  });
}
