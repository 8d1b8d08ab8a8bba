import { fuse as fuseStages, map } from "../../../mod.ts";
import type { RealWorker } from "../job.ts";
import { parse, total } from "../steps.ts";

export const fuse: RealWorker = {
  json: ({ texts, take }) =>
    ReadableStream.from(texts())
      .pipeThrough(fuseStages(map(parse), map(total)))
      .pipeTo(new WritableStream({ write: take })),
};
