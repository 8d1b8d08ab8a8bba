import { chainUnchecked, none } from "stream-chain/core";
import type { RunSmall } from "../job.ts";

export const streamChain: RunSmall = async ({ chunks, increment, isOdd, double, take }) => {
  const odd = (chunk: number) => isOdd(chunk) ? chunk : none;
  for await (const chunk of chainUnchecked([increment, odd, double])(chunks)) take(chunk);
};
