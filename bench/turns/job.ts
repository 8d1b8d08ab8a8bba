/** A synchronous pipeline that has something to do until `endMs`, by `performance.now()`. */
export interface TurnsJob {
  readonly endMs: number;
  /** Called with each number, in order, at the end of the pipeline. */
  readonly take: (chunk: number) => void;
}

/** Runs such a pipeline; a contestant is one such function. */
export type RunTurns = (job: TurnsJob) => Promise<void>;
