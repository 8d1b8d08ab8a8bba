import { map, pipeline as runPipeline } from "../../../mod.ts";
import type { RunOverlap } from "../job.ts";
import { countUp } from "../count_up.ts";

export const pipeline: RunOverlap = async ({ count, wait, take }) => {
  await runPipeline(countUp(count), map(wait), map(wait), take);
};
