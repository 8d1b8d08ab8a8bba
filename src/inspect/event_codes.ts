import type { ProbeEventName } from "./types.ts";

/** The events, by the numbers that stand for them in the ring. */
export const eventNames: readonly ProbeEventName[] = [
  ...["read", "transform", "write", "written", "end"] as const,
  ...["final", "backpressure", "drain", "error", "cancel"] as const,
];

/** The number that stands for an event in the ring. */
export const codeOf: Readonly<Record<ProbeEventName, number>> = Object.fromEntries(
  eventNames.map((name, code) => [name, code]),
) as Record<ProbeEventName, number>;
