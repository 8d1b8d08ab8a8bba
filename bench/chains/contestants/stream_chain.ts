import { chainUnchecked, many, none } from "stream-chain/core";
import type { Chunk, RunChain } from "../job.ts";

export const streamChain: RunChain = async ({ source, isBatched, steps, write }) => {
  const stages = steps.map(({ kind, fn }) =>
    kind === "map" ? fn : (chunk: Chunk) => fn(chunk) ? chunk : none
  );
  const flatten = isBatched ? [(batch: Chunk[]) => many(batch)] : [];
  for await (const chunk of chainUnchecked([...flatten, ...stages])(source())) await write(chunk);
};
