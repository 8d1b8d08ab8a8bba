import { compose, pipeline as runPipeline } from "../../../mod.ts";
import type { Chunk, RunChain } from "../job.ts";
import { toStages } from "../to_stages.ts";

export const pipeline: RunChain = async (job) => {
  await runPipeline(job.source(), compose(toStages(job)), (chunk: Chunk) => job.write(chunk));
};
