import { compose, fuse as fuseStages, map } from "../../../mod.ts";
import { passFunctions } from "../../chains/pass_functions.ts";
import type { RunMemory } from "../job.ts";
import { webSource } from "../steps/web_source.ts";

export const fuse: RunMemory = async (job) => {
  const stages: Transformer[] = passFunctions(job.stages).map((pass) => map(pass));
  await new ReadableStream(webSource(job))
    .pipeThrough(fuseStages(compose(stages)))
    .pipeTo(new WritableStream({ write: (chunk) => job.take(chunk) }));
};
