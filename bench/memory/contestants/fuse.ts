import { compose, fuse as fuseStages, map } from "../../../mod.ts";
import { passFunctions } from "../../chains/pass_functions.ts";
import type { RunMemory } from "../job.ts";
import { strategyOf } from "../steps/strategy_of.ts";
import { webSource } from "../steps/web_source.ts";

export const fuse: RunMemory = async (job) => {
  const strategy = strategyOf(job);
  const stages: Transformer[] = passFunctions(job.stages).map((pass) => map(pass));
  await new ReadableStream(webSource(job), strategy)
    .pipeThrough(
      fuseStages(compose(stages), { writableStrategy: strategy, readableStrategy: strategy }),
    )
    .pipeTo(new WritableStream({ write: (chunk) => job.take(chunk) }, strategy));
};
