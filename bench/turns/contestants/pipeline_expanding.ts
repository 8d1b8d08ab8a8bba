import { flatMap, map, pipeline } from "../../../mod.ts";
import type { RunTurns } from "../job.ts";
import { countUntil } from "../count_until.ts";

const factor = 100_000;
const pass = (chunk: number) => chunk;

function* expand(first: number): Generator<number> {
  for (let index = 0; index < factor; index++) yield first + index;
}

export const pipelineExpanding: RunTurns = async ({ endMs, take }) => {
  await pipeline(countUntil(endMs, factor), flatMap(expand), map(pass), take);
};
