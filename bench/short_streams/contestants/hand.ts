import { countUp } from "../count_up.ts";
import type { RunShort } from "../job.ts";

export const hand: RunShort = async ({ chunks, steps, take }) => {
  for await (const number of countUp(chunks)) {
    let result = number;
    for (const { fn } of steps) result = fn(result);
    take(result);
  }
};
