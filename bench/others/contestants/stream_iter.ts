import { type IterableStreamStage, loadStreamIter } from "../../peers/load_stream_iter.ts";
import type { OthersJob, RunOthers, StageWork } from "../job.ts";
import { transformChunk } from "../transform_chunk.ts";

async function* batchesOf({ chunk, chunks }: OthersJob): AsyncGenerator<Uint8Array[]> {
  for (let count = 0; count < chunks; count++) yield [chunk];
}

function stageOf(work: StageWork): IterableStreamStage {
  if (work === "expand") {
    return (chunks) => chunks === null ? [] : chunks.flatMap((chunk) => [chunk, chunk]);
  }
  const change = transformChunk[work as "copy" | "pass" | "xor"] as (
    chunk: Uint8Array,
  ) => Uint8Array;
  return (chunks) => chunks === null ? [] : chunks.map(change);
}

/** A row on node:stream/iter, as Node's benchmarks write it. */
export const streamIter: RunOthers = async (job) => {
  const { pipeTo } = await loadStreamIter();
  const { take } = job;
  await pipeTo(batchesOf(job), ...job.stages.map(stageOf), {
    write: (chunk) => Promise.resolve(take(chunk)),
    writeSync: (chunk) => {
      take(chunk);
      return true;
    },
  });
};
