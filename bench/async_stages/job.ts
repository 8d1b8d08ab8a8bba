/** One step: it answers at once, or with a promise that is resolved already. */
export type AsyncStep = (chunk: number) => number | Promise<number>;

/** A chain of which some steps answer with promises: every contestant gets the same chunks and steps. */
export interface AsyncJob {
  readonly chunks: readonly number[];
  readonly steps: readonly AsyncStep[];
  take(chunk: number): void;
}

/** Builds the chain and drains it; a contestant is one such function. */
export type RunAsync = (job: AsyncJob) => Promise<void>;
