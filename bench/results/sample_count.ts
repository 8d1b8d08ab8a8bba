import type { Measurement } from "./result.ts";

/** How many samples a row was made of, which may be more than it kept. */
export function sampleCount(
  { samples, samplesTaken }: Pick<Measurement, "samples" | "samplesTaken">,
): number {
  return samplesTaken ?? samples.length;
}
