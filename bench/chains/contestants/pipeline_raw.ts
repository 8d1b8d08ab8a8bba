import { compose, pipeline } from "../../../mod.ts";
import type { Chunk, RunChain } from "../job.ts";
import { toTransformers } from "../to_transformers.ts";

export const pipelineRaw: RunChain = async (job) => {
  await pipeline(job.source(), compose(toTransformers(job)), (chunk: Chunk) => job.write(chunk));
};
