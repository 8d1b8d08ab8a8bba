import type { ProbeEvent } from "@hosepipe/streams";
import type { BufferKind } from "../../hose/hose_view.ts";
import { bufferNames } from "../../words/describe_hose.ts";
import { formatChunks, formatSeconds } from "../../words/format.ts";

/** What a run gives a question, and the event that made it so. */
export interface Measured {
  readonly value: number;
  readonly event: ProbeEvent | undefined;
}

/** What is compared. */
export interface Metric {
  measure(events: readonly ProbeEvent[]): Measured;
  /** Whether less of it wins. */
  readonly isLessBetter: boolean;
  describe(value: number): string;
}

/** When a chunk had been written. */
export function writtenAt(count: number): Metric {
  return {
    measure(events) {
      const event = events.filter(({ event }) => event === "written")[count - 1];
      return { value: event?.timeMs ?? Infinity, event };
    },
    isLessBetter: true,
    describe: (value) => `${count} are written at ${formatSeconds(value)}`,
  };
}

/** How many chunks were read before the first had been written. */
export const readBeforeFirstWritten: Metric = {
  measure(events) {
    const written = events.findIndex(({ event }) => event === "written");
    const reads = events.slice(0, written < 0 ? events.length : written)
      .filter(({ event }) => event === "read");
    return { value: reads.length, event: reads.at(-1) };
  },
  isLessBetter: false,
  describe: (value) => `${formatChunks(value)} read before the first is written`,
};

/** Chunks in a buffer at an event; one that is being worked on keeps its place. */
function countIn(kind: BufferKind, { occupancy }: ProbeEvent): number {
  const held = kind === "transformerIn"
    ? occupancy.transforming
    : kind === "writerIn"
    ? occupancy.writing
    : 0;
  return occupancy[kind] + held;
}

/** The most chunks that a buffer held at a time. */
export function mostIn(kind: BufferKind): Metric {
  return {
    measure(events) {
      const value = Math.max(0, ...events.map((event) => countIn(kind, event)));
      return { value, event: events.find((event) => countIn(kind, event) === value) };
    },
    isLessBetter: false,
    describe: (value) => `${bufferNames[kind]} holds up to ${formatChunks(value)}`,
  };
}
