import { map, pipeline } from "../../../mod.ts";
import type { RunTurns } from "../job.ts";
import { countUntil } from "../count_until.ts";

const pass = (chunk: number) => chunk;

export const pipelineCheap: RunTurns = async ({ endMs, take }) => {
  await pipeline(countUntil(endMs), map(pass), map(pass), map(pass), take);
};
