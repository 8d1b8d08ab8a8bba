import type { Measurement } from "./result.ts";

/** Whether the shortest sample is within 10 ticks of the runtime's clock: too short to tell. */
export function isNearTick(
  { samples, iterationsPerSample, timerTickMs }: Pick<
    Measurement,
    "samples" | "iterationsPerSample" | "timerTickMs"
  >,
): boolean {
  return samples[0]! * iterationsPerSample < 10 * timerTickMs;
}
