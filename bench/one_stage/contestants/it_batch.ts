import batch from "it-batch";
import { batchSize, type RunOneStage } from "../job.ts";

/** Of an array it gives an iterable that is no async one. */
export const itBatch: RunOneStage = ({ chunks, take }) => {
  for (const one of batch(chunks, batchSize)) take(one);
  return Promise.resolve();
};
