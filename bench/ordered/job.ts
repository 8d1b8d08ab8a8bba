/** Calls that take 0 to 1 ms each, several at a time, whose results come in order. */
export interface OrderedJob {
  readonly count: number;
  readonly concurrency: number;
  /** Calls in flight and results that wait, together. */
  readonly window: number;
  readonly work: (chunk: number) => Promise<number>;
  take(chunk: number): void;
}

/** Runs the job; a contestant is one such function. */
export type RunOrdered = (job: OrderedJob) => Promise<void>;
