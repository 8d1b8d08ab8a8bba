import { merge } from "streaming-iterables";
import type { RunJoin } from "../job.ts";
import { openAll } from "../open_all.ts";

export const streamingIterables: RunJoin = async (job) => {
  for await (const value of merge(...openAll(job))) job.take(value as number);
};
