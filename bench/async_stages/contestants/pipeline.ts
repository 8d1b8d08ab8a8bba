import { map, pipeline as runPipeline } from "../../../mod.ts";
import type { RunAsync } from "../job.ts";

export const pipeline: RunAsync = async ({ chunks, steps, take }) => {
  const stages = steps.map((step) => map(step)) as [Transformer<number, number>];
  await runPipeline(chunks, ...stages, take);
};
