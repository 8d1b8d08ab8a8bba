import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { runInBatches } from "../batches.ts";
import type { RunThreads } from "../job.ts";

const filename = fileURLToPath(new URL("../modules/pool_task.ts", import.meta.url));
let pool: Piscina | undefined;

export const piscina: RunThreads = (job) => {
  const { threads } = job;
  pool ??= new Piscina({
    ...{ filename, minThreads: threads, maxThreads: threads },
    concurrentTasksPerWorker: 2,
  });
  const own = pool;
  return runInBatches(job, (batch) => own.run(batch));
};
