import type { Chunk, RunChain } from "../job.ts";

function* map(chunks: Iterable<Chunk>, fn: (chunk: Chunk) => Chunk): Generator<Chunk> {
  for (const chunk of chunks) yield fn(chunk);
}

function* filter(chunks: Iterable<Chunk>, fn: (chunk: Chunk) => boolean): Generator<Chunk> {
  for (const chunk of chunks) if (fn(chunk)) yield chunk;
}

export const generators: RunChain = async ({ source, isBatched, steps, write }) => {
  for await (const item of source()) {
    let chunks: Iterable<Chunk> = isBatched ? item : [item];
    for (const { kind, fn } of steps) {
      chunks = kind === "map" ? map(chunks, fn) : filter(chunks, fn);
    }
    for (const chunk of chunks) {
      const written = write(chunk);
      if (written) await written;
    }
  }
};
