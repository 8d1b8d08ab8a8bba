import { availableParallelism } from "node:os";
import type { ContestantEntry } from "../measure/workload.ts";
import type { ExtractJob, RunExtract } from "./job.ts";
import { heapLimitMiB } from "./steps/check_heap.ts";

/** A step of the ladder, whose code is loaded only when it is asked for. */
export interface ExtractStep extends ContestantEntry {
  /** Tries whether it can be run at all. */
  check?(job: ExtractJob): Promise<void>;
  load(): Promise<RunExtract>;
}

/** The command's default: larger ones cost more memory than they save time. The next steps stand on it. */
const chosenBatchSize = 100;

/** As the task has it: Deno's part of `keepHeapSmall`, and no heap of glibc's own for each thread. */
const frugal = {
  denoV8Flags: ["--max-semi-space-size=2"],
  environment: { MALLOC_ARENA_MAX: "2" },
};

type Settings = Parameters<typeof import("./steps/stream_rows.ts").streamRows>[0];

function stream(name: string, about: string, settings: Settings): ExtractStep {
  return {
    name,
    about,
    ...frugal,
    load: async () => (await import("./steps/stream_rows.ts")).streamRows(settings),
  };
}

function threads(name: string, count: number): ExtractStep {
  const settings = { batchSize: chosenBatchSize, projection: true, partitions: 1 };
  return {
    ...stream(name, `projection, with a pool of ${count} threads`, settings),
    runtimes: ["node"],
    // Before the first file is read, for the pool is made then.
    nodeFlags: [`--import=data:text/javascript,process.env.UV_THREADPOOL_SIZE=${count}`],
  };
}

/** The ladder from the bottom: each step on the one before it. */
export const steps: readonly ExtractStep[] = [
  {
    name: "load-all",
    about: `loads all rows, writes each synchronously; with a heap of ${heapLimitMiB} MiB`,
    note: "only Node is measured: the others take no limit of the heap on their command line here",
    runtimes: ["node"],
    nodeFlags: [`--max-old-space-size=${heapLimitMiB}`],
    check: async (job) => await (await import("./steps/check_heap.ts")).checkHeap(job),
    load: async () => (await import("./contestants/load_all.ts")).loadAll,
  },
  {
    name: "cursor",
    about: "a cursor in the place of the array, writes each row synchronously",
    ...frugal,
    load: async () => (await import("./contestants/cursor.ts")).cursor,
  },
  stream("write-stream", "a pipeline from the cursor to a writer of 16 KiB pieces", {
    batchSize: 1,
    projection: false,
    partitions: 1,
  }),
  ...[16, chosenBatchSize, 1_000, 5_000].map((batchSize) =>
    stream(`batch-${batchSize}`, `${batchSize} rows fetched at a time`, {
      batchSize,
      projection: false,
      partitions: 1,
    })
  ),
  stream("projection", `only the fields needed, ${chosenBatchSize} rows at a time`, {
    batchSize: chosenBatchSize,
    projection: true,
    partitions: 1,
  }),
  ...[2, 4, 8].map((partitions) =>
    stream(
      `partitions-${partitions}`,
      `${partitions} partitions, read by as many threads as there are cores`,
      {
        batchSize: chosenBatchSize,
        projection: true,
        partitions,
      },
    )
  ),
  threads("threads-4", 4),
  threads("threads-cores", availableParallelism()),
];
