import { runInBatches } from "../batches.ts";
import type { RunThreads } from "../job.ts";
import runBatch from "../modules/pool_task.ts";

export const hand: RunThreads = (job) =>
  runInBatches(job, (batch) => Promise.resolve(runBatch(batch as never)));
