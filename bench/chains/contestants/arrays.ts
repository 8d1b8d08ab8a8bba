import type { Chunk, RunChain } from "../job.ts";

export const arrays: RunChain = async ({ source, isBatched, steps, write }) => {
  const read = await Array.fromAsync(source());
  let chunks: Chunk[] = isBatched ? read.flat() : read;
  for (const step of steps) {
    chunks = step.kind === "map"
      ? chunks.map((it) => step.fn(it))
      : chunks.filter((it) => step.fn(it));
  }
  for (const chunk of chunks) {
    const written = write(chunk);
    if (written) await written;
  }
};
