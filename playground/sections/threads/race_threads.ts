/// <reference lib="dom" />
import { pipeline } from "@hosepipe/streams";
import { inWorkers } from "../../../src/workers/mod.ts";
import { addTotals, makeTexts } from "../../worker/count_lines.ts";
import { openWorker } from "../../worker/open_worker.ts";

/** How long a number of threads took. */
export interface ThreadsTime {
  readonly threads: number;
  /** The best of the rounds. */
  readonly elapsedMs: number;
  /** Blocks of chunks that the threads had, and how long they worked, all together. */
  readonly blocks: number;
  readonly busyMs: number;
}

const chunkCount = 400;
const rounds = 3;

/** Runs the same chunks in one thread and in more, one number after the other; calls back with each as it is known. */
export async function raceThreads(
  counts: readonly number[],
  signal: AbortSignal,
  onTime: (time: ThreadsTime) => void,
): Promise<void> {
  const texts = makeTexts(chunkCount);
  let expected = 0;
  for (const text of texts) expected += addTotals(text);
  for (const threads of counts) {
    const workers: Worker[] = [];
    const stage = inWorkers(() => {
      const worker = openWorker("self.threadOfStages = true;");
      workers.push(worker);
      return worker;
    }, { threads });
    let best: ThreadsTime | undefined;
    try {
      // The first round starts the threads.
      for (let round = 0; round <= rounds; round++) {
        let sum = 0;
        const add = (total: unknown) => void (sum += total as number);
        const result = await pipeline(texts, stage, add, { signal });
        if (sum !== expected) throw new Error(`${threads} threads came to ${sum}, not ${expected}`);
        const { elapsedMs, threads: counts } = result;
        if (round > 0 && elapsedMs < (best?.elapsedMs ?? Infinity)) {
          best = { threads, elapsedMs, blocks: counts!.blocks, busyMs: counts!.busyMs };
        }
      }
    } finally {
      for (const worker of workers) worker.terminate();
    }
    onTime(best!);
  }
}
