/** A chain of a source, a stage and a sink that do next to nothing. */
export interface ProbeCostJob {
  /** How many numbers pass, from 0. */
  readonly count: number;
  /** The threshold of every buffer, in chunks. */
  readonly highWaterMark: number;
  take(chunk: number): void;
}

/** Brings every number to `take`. */
export type RunProbeCost = (job: ProbeCostJob) => Promise<void>;
