import { flatTransform } from "streaming-iterables";
import { concurrency, type RunFlow } from "../job.ts";

export const streamingIterables: RunFlow = async ({ open, openInner, take }) => {
  for await (const value of flatTransform(concurrency, openInner, open())) take(value as number);
};
