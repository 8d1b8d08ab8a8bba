import { type AsyncIterableX, from } from "ix/asynciterable";
import { concatMap, filter, map } from "ix/asynciterable/operators";
import type { Chunk, RunChain } from "../job.ts";

export const ix: RunChain = async ({ source, isBatched, steps, write }) => {
  let chunks: AsyncIterableX<Chunk> = from(source());
  if (isBatched) chunks = chunks.pipe(concatMap((batch: Chunk[]) => from(batch)));
  for (const { kind, fn } of steps) chunks = chunks.pipe(kind === "map" ? map(fn) : filter(fn));
  for await (const chunk of chunks) await write(chunk);
};
