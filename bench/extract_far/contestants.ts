import type { ContestantEntry } from "../measure/workload.ts";
import type { RunFar } from "./job.ts";

/** A step of the ladder, whose code is loaded only when it is asked for. */
export interface FarStep extends ContestantEntry {
  load(): Promise<RunFar>;
}

/** What the steps after the batches stand on. */
const chosenBatchSize = 100;

/** As the task has it. */
const frugal = {
  denoV8Flags: ["--max-semi-space-size=2"],
  environment: { MALLOC_ARENA_MAX: "2" },
};

function stream(
  name: string,
  about: string,
  settings: { batchSize?: number; projection?: boolean; partitions?: number },
): FarStep {
  const { batchSize = chosenBatchSize, projection = true, partitions = 1 } = settings;
  return {
    ...{ name, about, ...frugal },
    load: async () =>
      (await import("./steps/stream_far.ts")).streamFar({ batchSize, projection, partitions }),
  };
}

const threads = 8;

/** The ladder from the bottom: each step on the one before it, but for the sizes of batches. */
export const farSteps: readonly FarStep[] = [
  {
    name: "load-all",
    about: "loads all rows, writes each synchronously",
    ...frugal,
    load: async () => (await import("./steps/load_everything.ts")).loadEverything,
  },
  ...[16, chosenBatchSize, 1_000, 5_000].map((batchSize) =>
    stream(`batch-${batchSize}`, `a cursor, ${batchSize} rows or documents at a time`, {
      ...{ batchSize, projection: false },
    })
  ),
  stream("projection", `only the fields needed, ${chosenBatchSize} at a time`, {}),
  ...[2, 4, 8, 16].map((partitions) =>
    stream(`partitions-${partitions}`, `the same, by ${partitions} cursors at the same time`, {
      partitions,
    })
  ),
  {
    ...stream(`threads-${threads}`, `partitions-8, with a pool of ${threads} threads`, {
      partitions: 8,
    }),
    runtimes: ["node"],
    // Before the first file is read, for the pool is made then.
    nodeFlags: [`--import=data:text/javascript,process.env.UV_THREADPOOL_SIZE=${threads}`],
  },
];
