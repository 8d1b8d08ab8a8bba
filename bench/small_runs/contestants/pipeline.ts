import { filter, map, pipeline as runPipeline } from "../../../mod.ts";
import type { RunSmall } from "../job.ts";

export const pipeline: RunSmall = async ({ chunks, increment, isOdd, double, take }) => {
  await runPipeline(chunks, map(increment), filter(isOdd), map(double), take);
};
