import { Tinypool } from "tinypool";
import { runInBatches } from "../batches.ts";
import type { RunThreads } from "../job.ts";

const filename = new URL("../modules/pool_task.ts", import.meta.url).href;
let pool: Tinypool | undefined;

export const tinypool: RunThreads = (job) => {
  const { threads } = job;
  pool ??= new Tinypool({
    ...{ filename, minThreads: threads, maxThreads: threads, concurrentTasksPerWorker: 2 },
  });
  const own = pool;
  return runInBatches(job, (batch) => own.run(batch));
};
