import { compose, pipeline as runPipeline } from "../../../mod.ts";
import type { RunThreads } from "../job.ts";
import { makeStages } from "../modules/stages.ts";

export const pipeline: RunThreads = async ({ kind, chunks, take }) => {
  await runPipeline(chunks, compose(makeStages(kind)), take);
};
