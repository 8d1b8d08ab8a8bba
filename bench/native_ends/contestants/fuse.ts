import { compose, fuse as fuseStages, map } from "../../../mod.ts";
import type { RunNativeEnds } from "../job.ts";

export const fuse: RunNativeEnds = async ({ source, sink, stages }) => {
  const maps: Transformer[] = stages.map((stage) => map(stage));
  await source.pipeThrough(fuseStages(compose(maps))).pipeTo(sink);
};
