import { keepHeapSmall } from "../../scenarios/extract/keep_heap_small.ts";
import type { ExtractStep } from "./extract_step.ts";
import { frugal } from "./frugal.ts";
import { heapLimitMiB } from "./steps/check_heap.ts";
import { queryEverything } from "./steps/query_everything.ts";
import { streamStep } from "./stream_step.ts";
import { availableParallelism } from "node:os";

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
    about: "a cursor instead of the array, writes each row synchronously",
    ...frugal,
    load: async () => {
      const { writeRows } = await import("./steps/write_rows.ts");

      // deno-lint-ignore require-await -- what fails must reject, as with all others
      return async ({ address, outputPath, period }) => {
        // As all later steps do: otherwise its memory would be what the collector leaves lying, not what a cursor holds.
        keepHeapSmall();
        return queryEverything(address, (statement, toRow) => {
          function* rows() {
            const iterator = statement.iterate(period.fromMs, period.toMs);
            for (let next = iterator.next(); !next.done; next = iterator.next()) {
              yield toRow(next.value);
            }
          }
          return writeRows(outputPath, rows());
        });
      };
    },
  },
  streamStep("write-stream", "a pipeline from the cursor to a writer of 16 KiB pieces", {
    ...{ batchSize: 1, projection: false },
  }),
  ...[16, 100, 1_000, 5_000].map((batchSize) =>
    streamStep(`batch-${batchSize}`, `${batchSize} rows fetched at a time`, {
      ...{ batchSize, projection: false },
    })
  ),
  streamStep("projection", "only the fields needed, 100 rows at a time", {}),
  ...[2, 4, 8].map((partitions) =>
    streamStep(
      `partitions-${partitions}`,
      `${partitions} partitions, read by as many threads as there are cores`,
      { partitions },
    )
  ),
  ...([["threads-4", 4], ["threads-cores", availableParallelism()]] as const)
    .map(([name, poolThreads]) =>
      streamStep(name, `projection, with a pool of ${poolThreads} threads`, { poolThreads })
    ),
];
