import { fuse as fuseStages, map } from "../../../mod.ts";
import type { RunOverlap } from "../job.ts";
import { countUp } from "../count_up.ts";

export const fuse: RunOverlap = async ({ count, wait, take }) => {
  await ReadableStream.from(countUp(count))
    .pipeThrough(fuseStages(map(wait), map(wait)))
    .pipeTo(new WritableStream({ write: take }));
};
