import { Worker } from "node:worker_threads";
import { type Endpoint, wrap } from "comlink";
import * as adapter from "comlink/dist/esm/node-adapter.mjs";
import { runInBatches } from "../batches.ts";
import type { RunThreads } from "../job.ts";

// Its types call the module the function that is its default export.
const toEndpoint =
  (adapter as unknown as { readonly default: (port: unknown) => Endpoint }).default;

type Task = { runBatch(batch: unknown): Promise<unknown> };

const module = new URL("../modules/comlink_task.ts", import.meta.url);
let threads: Task[] | undefined;

export const comlink: RunThreads = (job) => {
  threads ??= Array.from({ length: job.threads }, () => {
    const worker = new Worker(module);
    worker.unref();
    return wrap(toEndpoint(worker)) as unknown as Task;
  });
  const all = threads;
  let next = 0;
  return runInBatches(job, (batch) => all[next++ % all.length]!.runBatch(batch));
};
