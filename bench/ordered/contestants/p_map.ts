import { pMapIterable } from "p-map";
import type { RunOrdered } from "../job.ts";
import { countTo } from "../count_to.ts";

export const pMap: RunOrdered = async ({ count, concurrency, window, work, take }) => {
  const options = { concurrency, backpressure: window };
  for await (const chunk of pMapIterable(countTo(count), work, options)) take(chunk);
};
