/** Numbers from 0 through two stages that each take `delayMs` a chunk, in order. */
export interface OverlapJob {
  readonly count: number;
  /** What either stage does with a chunk. */
  readonly wait: (chunk: number) => Promise<number>;
  readonly take: (chunk: number) => void;
}

/** Runs a job whose stages wait; a contestant is one such function. */
export type RunOverlap = (job: OverlapJob) => Promise<void>;
