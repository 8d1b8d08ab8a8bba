import { fuse as fuseStages, map } from "../../../mod.ts";
import type { RunAsync } from "../job.ts";

export const fuse: RunAsync = async ({ chunks, steps, take }) => {
  const stages = steps.map((step) => map(step)) as [Transformer<number, number>];
  await ReadableStream.from(chunks).pipeThrough(fuseStages(...stages))
    .pipeTo(new WritableStream({ write: take }));
};
