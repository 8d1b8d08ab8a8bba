import { availableParallelism } from "node:os";
import { ReaderThread } from "./reader_thread.ts";
import type { ThreadSettings } from "./thread_messages.ts";

/** Each takes some 20 MiB, so that there are no more than help where there are many cores. */
const mostThreads = 4;

/** How many threads may read at the same time for this many partitions, this one counted; `asked` is what the user wants. */
export function threadCount(partitions: number, asked?: number): number {
  return Math.min(partitions, asked ?? Math.min(availableParallelism(), mostThreads));
}

/** Opens threads that are ready to read; none if one of them cannot, for then this one reads alone. */
export async function openThreads(
  settings: ThreadSettings,
  count: number,
): Promise<readonly ReaderThread[]> {
  const threads = Array.from({ length: count }, () => new ReaderThread(settings));
  try {
    await Promise.all(threads.map((thread) => thread.open()));
    return threads;
  } catch {
    // What cannot be opened twice, such as a file that another waits to write, can still be read once.
    await Promise.all(threads.map((thread) => thread.close()));
    return [];
  }
}
