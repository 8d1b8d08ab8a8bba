import { compose, fuse as fuseStages } from "../../../mod.ts";
import type { RunChain } from "../job.ts";
import { toStages } from "../to_stages.ts";

export const fuse: RunChain = async (job) => {
  await ReadableStream.from(job.source())
    .pipeThrough(fuseStages(compose(toStages(job))))
    .pipeTo(new WritableStream({ write: (chunk) => job.write(chunk) }));
};
