import type { ProbeEvent } from "@hosepipe/streams/inspect";
import type { MarkedBuffer, SeenStage } from "../hose/hose_view.ts";
import type { Job } from "./measure.ts";
import { workerSource } from "../built.ts";
import { inWorkers } from "../../src/workers/mod.ts";
import type { Transformer } from "@hosepipe/streams";

/** Starts a worker with the library in it; what stands in `before` comes first, from its first line on. */
export function openWorker(before = ""): Worker {
  const library = document.getElementById("library")!.textContent!;
  const blob = new Blob([before, "\n", library, "\n", workerSource], { type: "text/javascript" });
  const address = URL.createObjectURL(blob);
  const worker = new Worker(address);
  // By then it has been fetched.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return worker;
}

/** Lends a stage whose threads run a job, and end with `use`. */
export async function withThreads(
  job: Job,
  options: { readonly threads: number; readonly blockSize?: number; readonly maxBlocks?: number },
  use: (stage: Transformer<string, unknown>) => Promise<void>,
): Promise<void> {
  const workers: Worker[] = [];
  const open = () => {
    const worker = openWorker(`self.job = "${job}";`);
    workers.push(worker);
    return worker;
  };
  try {
    await use(inWorkers(open, options) as Transformer<string, unknown>);
  } finally {
    for (const worker of workers) worker.terminate();
  }
}

/** What stands in a buffer at an event. */
export interface SeenPlace extends MarkedBuffer {
  readonly stage: string;
  readonly waiting: number;
  /** Chunks that the stage behind it works at. */
  readonly inHand: number;
}

/** An event, with each buffer by itself where there are any. */
export interface SeenEvent extends ProbeEvent {
  readonly places?: readonly SeenPlace[];
}

/** What a worker says of the reader's own code. */
export type CodeMessage =
  | { readonly type: "log"; readonly level: "log" | "error"; readonly text: string }
  | {
    readonly type: "state";
    readonly buffers: readonly MarkedBuffer[];
    /** In the order of the pipeline. */
    readonly stages: readonly SeenStage[];
    /** Whether there are buffers at all. */
    readonly hasBuffers: boolean;
    readonly summary: string;
    /** Those since the last message, as far as they are kept. */
    readonly events: readonly SeenEvent[];
  }
  | { readonly type: "failed"; readonly text: string; readonly line: number | undefined }
  | { readonly type: "done"; readonly elapsedMs: number };
