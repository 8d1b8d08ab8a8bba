import type { RunProbeCost } from "../job.ts";

/** A loop. */
export const hand: RunProbeCost = ({ count, take }) => {
  for (let chunk = 0; chunk < count; chunk++) take(chunk);
  return Promise.resolve();
};
