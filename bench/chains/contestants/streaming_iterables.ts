import { filter, flatMap, map } from "streaming-iterables";
import type { Chunk, RunChain } from "../job.ts";

export const streamingIterables: RunChain = async ({ source, isBatched, steps, write }) => {
  let chunks: AsyncIterable<Chunk> = isBatched
    ? flatMap((batch: Chunk[]) => batch, source())
    : source();
  for (const { kind, fn } of steps) chunks = kind === "map" ? map(fn, chunks) : filter(fn, chunks);
  for await (const chunk of chunks) await write(chunk);
};
