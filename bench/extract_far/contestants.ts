import type { ExtractStep } from "../extract/extract_step.ts";
import { frugal } from "../extract/frugal.ts";
import { streamStep } from "../extract/stream_step.ts";

/** The ladder from the bottom: each step on the one before it, but for the sizes of batches. */
export const farSteps: readonly ExtractStep[] = [
  {
    name: "load-all",
    about: "loads all rows, writes each synchronously",
    ...frugal,
    load: async () => (await import("./steps/load_everything.ts")).loadEverything,
  },
  ...[16, 100, 1_000, 5_000].map((batchSize) =>
    streamStep(`batch-${batchSize}`, `a cursor, ${batchSize} rows or documents at a time`, {
      ...{ batchSize, projection: false },
    })
  ),
  streamStep("projection", "only the fields needed, 100 at a time", {}),
  ...[2, 4, 8, 16].map((partitions) =>
    streamStep(`partitions-${partitions}`, `the same, by ${partitions} cursors at the same time`, {
      partitions,
    })
  ),
  streamStep("threads-8", "partitions-8, with a pool of 8 threads", {
    ...{ partitions: 8, poolThreads: 8 },
  }),
];
