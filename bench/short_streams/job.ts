import type { Step } from "../chains/job.ts";

/** A stream's worth of a request: a few chunks through a few stages, made and drained. */
export interface ShortJob {
  readonly chunks: number;
  readonly steps: readonly Step[];
  take(chunk: number): void;
}

/** Makes the chain and drains it; a contestant is one such function. */
export type RunShort = (job: ShortJob) => Promise<void>;
