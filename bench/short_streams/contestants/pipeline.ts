import { pipeline as runPipeline } from "../../../mod.ts";
import { toStages } from "../../chains/to_stages.ts";
import type { RunShort } from "../job.ts";
import { pullUp } from "../pull_up.ts";

export const pipeline: RunShort = async ({ chunks, steps, take }) => {
  const stages = toStages({ isBatched: false, steps }) as [Transformer];
  await runPipeline(pullUp(chunks), ...stages, take);
};
