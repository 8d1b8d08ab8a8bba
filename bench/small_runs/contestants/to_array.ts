import { filter, map, toArray as gather } from "../../../mod.ts";
import type { RunSmall } from "../job.ts";

export const toArray: RunSmall = async ({ chunks, increment, isOdd, double, take }) => {
  for (const chunk of await gather(chunks, map(increment), filter(isOdd), map(double))) take(chunk);
};
