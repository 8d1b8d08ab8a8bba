import { pass } from "../../copy_lines/steps/steps.ts";
import type { RunMemory } from "../job.ts";

// deno-lint-ignore require-await -- a contestant answers with a promise
export const hand: RunMemory = async ({ chunk, count, stages, take }) => {
  for (let index = 0; index < count; index++) {
    let passed = chunk;
    for (let stage = 0; stage < stages; stage++) passed = pass(passed);
    take(passed);
  }
};
