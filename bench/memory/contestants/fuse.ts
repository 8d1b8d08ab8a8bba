import { fuse as fuseStages, map } from "../../../mod.ts";
import { pass } from "../../copy_lines/steps/steps.ts";
import type { RunMemory } from "../job.ts";
import { strategyOf } from "../steps/strategy_of.ts";
import { webSource } from "../steps/web_source.ts";

export const fuse: RunMemory = async (job) => {
  const strategy = strategyOf(job);
  const stages: Transformer[] = Array.from({ length: job.stages }, () => map(pass));
  const strategies = strategy ? [{ writableStrategy: strategy, readableStrategy: strategy }] : [];
  await new ReadableStream(webSource(job), strategy)
    .pipeThrough(fuseStages(...stages, ...strategies) as ReadableWritablePair)
    .pipeTo(new WritableStream({ write: (chunk) => job.take(chunk) }, strategy));
};
