import { compose, map, pipeline as runPipeline } from "../../../mod.ts";
import { pass } from "../../copy_lines/steps/steps.ts";
import type { RunMemory } from "../job.ts";
import { repeat } from "../steps/repeat.ts";

export const pipeline: RunMemory = async ({ chunk, count, stages, take }) => {
  const passes: Transformer[] = Array.from({ length: stages }, () => map(pass));
  await runPipeline(repeat(chunk, count), compose(passes), take);
};
