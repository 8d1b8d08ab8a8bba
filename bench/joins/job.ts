/** How sources are joined, or one is shared. */
export type JoinKind = "merge" | "zip" | "share";

/** Sources of numbers, to be joined; or one, to be shared by `count` readers. */
export interface JoinJob {
  readonly kind: JoinKind;
  /** How many sources, or readers. */
  readonly count: number;
  /** Opens a source. */
  open(): AsyncIterable<number>;
  /** Takes each number of a merge, the sum of each tuple, and each number that a reader gets. */
  take(value: number): void;
}

/** Runs the job; a contestant is one such function. */
export type RunJoin = (job: JoinJob) => Promise<void>;
