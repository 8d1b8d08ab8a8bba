import { parallel, pipeline as runPipeline } from "../../../mod.ts";
import type { RunOrdered } from "../job.ts";
import { countTo } from "../count_to.ts";

export const pipeline: RunOrdered = async ({ count, concurrency, window, work, take }) => {
  await runPipeline(countTo(count), parallel(work, { concurrency, window }), take);
};
