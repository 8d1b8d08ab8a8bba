/** What `inWorkers` has done in a run, in all stages that it stands for. */
export interface ThreadCounts {
  /** Blocks that are done, or were left out. */
  blocks: number;
  /** Of these, those that were run in place, since there are no threads. */
  blocksInPlace: number;
  /** Blocks that took longer than `timeoutMs` and were left out. */
  blocksSkipped: number;
  /** How long stages have worked on blocks, in all threads together. */
  busyMs: number;
  /** Threads that were ended and go on all the same, until the process ends: Deno 2.9 cannot stop one that is busy. */
  threadsLeftBehind: number;
}
