import { map, pipeline } from "../../../mod.ts";
import type { RunTurns } from "../job.ts";
import { countUntil } from "../count_until.ts";

function workFor1Ms(chunk: number): number {
  const endMs = performance.now() + 1;
  while (performance.now() < endMs);
  return chunk;
}

export const pipelineExpensive: RunTurns = async ({ endMs, take }) => {
  await pipeline(countUntil(endMs), map(workFor1Ms), take);
};
