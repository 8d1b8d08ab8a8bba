import type { Chunk, RunChain } from "../job.ts";

export const iteratorHelpers: RunChain = async ({ source, isBatched, steps, write }) => {
  for await (const item of source()) {
    let chunks: IteratorObject<Chunk> = Iterator.from<Chunk>(isBatched ? item : [item]);
    for (const { kind, fn } of steps) chunks = kind === "map" ? chunks.map(fn) : chunks.filter(fn);
    for (const chunk of chunks) {
      const written = write(chunk);
      if (written) await written;
    }
  }
};
