import { compose, map, pipeline as runPipeline } from "../../../mod.ts";
import type { RunNativeEnds } from "../job.ts";

export const pipeline: RunNativeEnds = async ({ source, sink, stages }) => {
  const maps: Transformer[] = stages.map((stage) => map(stage));
  await runPipeline(source, compose(maps), sink);
};
