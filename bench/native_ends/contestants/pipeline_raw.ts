import { compose, pipeline } from "../../../mod.ts";
import type { RunNativeEnds } from "../job.ts";

export const pipelineRaw: RunNativeEnds = async ({ source, sink, stages }) => {
  const transformers = stages.map((stage): Transformer<number, number> => ({
    transform: (chunk, it) => it.enqueue(stage(chunk)),
  }));
  await pipeline(source, compose(transformers), sink);
};
