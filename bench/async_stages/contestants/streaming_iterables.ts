import { map } from "streaming-iterables";
import type { RunAsync } from "../job.ts";

export const streamingIterables: RunAsync = async ({ chunks, steps, take }) => {
  let stream: Iterable<number> | AsyncIterable<number> = chunks;
  for (const step of steps) stream = map(step, stream as AsyncIterable<number>);
  for await (const chunk of stream) take(chunk);
};
