import { flatMap, map, pipeline as runPipeline } from "../../../mod.ts";
import type { OthersJob, RunOthers, StageWork } from "../job.ts";
import { transformChunk } from "../transform_chunk.ts";

function* repeat({ chunk, chunks }: OthersJob): Generator<Uint8Array, void, undefined> {
  for (let count = 0; count < chunks; count++) yield chunk;
}

const stageOf = (work: Exclude<StageWork, "gzip">) =>
  work === "expand"
    ? flatMap((chunk: Uint8Array) => [chunk, chunk])
    : map(transformChunk[work] as (chunk: Uint8Array) => Uint8Array);

/** From a generator to a function, as new-streams reads an array in memory. */
export const pipelineOwnEnds: RunOthers = async (job) => {
  const stages = job.stages.flatMap((work) => work === "gzip" ? [] : [stageOf(work)]);
  // deno-lint-ignore no-explicit-any -- as many stages as the row has
  await (runPipeline as any)(repeat(job), ...stages, job.take);
};
