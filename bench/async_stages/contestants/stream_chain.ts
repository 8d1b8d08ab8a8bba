import { chainUnchecked } from "stream-chain/core";
import type { RunAsync } from "../job.ts";

export const streamChain: RunAsync = async ({ chunks, steps, take }) => {
  for await (const chunk of chainUnchecked<number, number>(steps)(chunks)) take(chunk);
};
