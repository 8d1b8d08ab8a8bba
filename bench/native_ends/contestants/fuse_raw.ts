import { compose, fuse } from "../../../mod.ts";
import type { RunNativeEnds } from "../job.ts";

export const fuseRaw: RunNativeEnds = async ({ source, sink, stages, strategy }) => {
  const transformers = stages.map((stage): Transformer<number, number> => ({
    transform: (chunk, it) => it.enqueue(stage(chunk)),
  }));
  const strategies = { writableStrategy: strategy, readableStrategy: strategy };
  await source.pipeThrough(fuse(compose(transformers), strategies)).pipeTo(sink);
};
