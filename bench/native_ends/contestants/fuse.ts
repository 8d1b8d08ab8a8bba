import { compose, fuse as fuseStages, map } from "../../../mod.ts";
import type { RunNativeEnds } from "../job.ts";

export const fuse: RunNativeEnds = async ({ source, sink, stages, strategy }) => {
  const maps: Transformer[] = stages.map((stage) => map(stage));
  const strategies = { writableStrategy: strategy, readableStrategy: strategy };
  await source.pipeThrough(fuseStages(compose(maps), strategies)).pipeTo(sink);
};
