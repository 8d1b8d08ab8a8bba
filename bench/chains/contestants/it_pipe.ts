import itFilter from "it-filter";
import itMap from "it-map";
import { rawPipe } from "it-pipe";
import type { Chunk, RunChain } from "../job.ts";

async function* flatten(batches: AsyncIterable<Chunk[]>): AsyncGenerator<Chunk> {
  for await (const batch of batches) yield* batch;
}

export const itPipe: RunChain = async ({ source, isBatched, steps, write }) => {
  await rawPipe(
    source,
    ...isBatched ? [flatten] : [],
    ...steps.map((step) => (chunks: AsyncIterable<Chunk>) =>
      step.kind === "map" ? itMap(chunks, step.fn) : itFilter(chunks, step.fn)
    ),
    async (chunks: AsyncIterable<Chunk>) => {
      for await (const chunk of chunks) await write(chunk);
    },
  );
};
