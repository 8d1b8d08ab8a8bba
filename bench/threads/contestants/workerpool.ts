import { fileURLToPath } from "node:url";
import workerpoolModule from "workerpool";
import { runInBatches } from "../batches.ts";
import type { RunThreads } from "../job.ts";

const script = fileURLToPath(new URL("../modules/workerpool_task.ts", import.meta.url));
let pool: ReturnType<typeof workerpoolModule.pool> | undefined;

export const workerpool: RunThreads = (job) => {
  pool ??= workerpoolModule.pool(script, {
    ...{ maxWorkers: job.threads, minWorkers: job.threads, workerType: "thread" },
  });
  const own = pool;
  return runInBatches(job, (batch) => own.exec("runBatch", [batch]) as PromiseLike<unknown>);
};
