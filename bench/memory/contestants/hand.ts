import { passFunctions } from "../../chains/pass_functions.ts";
import type { RunMemory } from "../job.ts";

// deno-lint-ignore require-await -- a contestant answers with a promise
export const hand: RunMemory = async ({ chunk, count, stages, take }) => {
  const passes = passFunctions(stages);
  for (let index = 0; index < count; index++) {
    let passed = chunk;
    for (const pass of passes) passed = pass(passed);
    take(passed);
  }
};
