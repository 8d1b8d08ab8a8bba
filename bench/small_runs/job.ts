/** A short job: some numbers, the odd ones doubled. Every contestant builds and drains it again. */
export interface SmallJob {
  readonly chunks: readonly number[];
  increment(chunk: number): number;
  isOdd(chunk: number): boolean;
  double(chunk: number): number;
  take(chunk: number): void;
}

/** Builds the three stages and drains them; a contestant is one such function. */
export type RunSmall = (job: SmallJob) => Promise<void> | void;
