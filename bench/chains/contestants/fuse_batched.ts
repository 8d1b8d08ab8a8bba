import { batch, compose, fuse } from "../../../mod.ts";
import type { Chunk, RunChain } from "../job.ts";
import { toStages } from "../to_stages.ts";

/** Chunks that go through the native end together. */
const batchSize = 64;

export const fuseBatched: RunChain = async (job) => {
  const output = new WritableStream<Chunk[]>({
    async write(chunks) {
      for (const chunk of chunks) {
        const written = job.write(chunk);
        if (written) await written;
      }
    },
  });
  await ReadableStream.from(job.source())
    .pipeThrough(fuse(compose(toStages(job)), batch<Chunk>(batchSize)))
    .pipeTo(output);
};
