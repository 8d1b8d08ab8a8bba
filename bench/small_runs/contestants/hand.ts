import type { RunSmall } from "../job.ts";

export const hand: RunSmall = ({ chunks, increment, isOdd, double, take }) => {
  for (const chunk of chunks) {
    const incremented = increment(chunk);
    if (isOdd(incremented)) take(double(incremented));
  }
};
