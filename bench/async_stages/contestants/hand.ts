import type { RunAsync } from "../job.ts";
import { waits } from "../steps.ts";

export const hand: RunAsync = async ({ chunks, steps, take }) => {
  for (const chunk of chunks) {
    let result = chunk;
    for (let index = 0; index < steps.length; index++) {
      const answer = steps[index]!(result);
      result = waits(index) ? await answer : answer as number;
    }
    take(result);
  }
};
