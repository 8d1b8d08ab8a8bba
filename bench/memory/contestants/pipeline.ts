import { compose, map, pipeline as runPipeline } from "../../../mod.ts";
import { passFunctions } from "../../chains/pass_functions.ts";
import type { RunMemory } from "../job.ts";
import { repeat } from "../steps/repeat.ts";

export const pipeline: RunMemory = async ({ chunk, count, stages, take }) => {
  const passes: Transformer[] = passFunctions(stages).map((pass) => map(pass));
  await runPipeline(repeat(chunk, count), compose(passes), take);
};
