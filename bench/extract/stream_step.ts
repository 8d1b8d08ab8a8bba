import type { ExtractStep } from "./extract_step.ts";
import { frugal } from "./frugal.ts";

/** The command's default: larger ones cost more memory than they save time. Later steps stand on it. */
const chosenBatchSize = 100;

/** What a step changes; the rest is as the command has it. */
export interface StreamSettings {
  readonly batchSize?: number;
  readonly projection?: boolean;
  readonly partitions?: number;
  /** Node's pool of threads; it is made with the first file that is read. */
  readonly poolThreads?: number;
}

/** A step that is the command's own extraction, with these settings. */
export function streamStep(
  name: string,
  about: string,
  { batchSize = chosenBatchSize, projection = true, partitions = 1, poolThreads }: StreamSettings,
): ExtractStep {
  return {
    ...{ name, about, ...frugal },
    ...(poolThreads === undefined ? {} : {
      runtimes: ["node"],
      nodeFlags: [
        `--import=data:text/javascript,process.env.UV_THREADPOOL_SIZE=${poolThreads}`,
      ],
    }),
    load: async () =>
      (await import("./steps/stream_rows.ts")).streamRows({ batchSize, projection, partitions }),
  };
}
