import type { Pass } from "../chains/different_passes.ts";

/** Numbers from a native source through do-nothing stages to a native sink. */
export interface NativeEndsJob {
  /** A fresh native stream. */
  readonly source: ReadableStream<number>;
  /** A fresh native stream. */
  readonly sink: WritableStream<number>;
  readonly stages: readonly Pass[];
}

/** Moves everything from the source to the sink; a contestant is one such function. */
export type RunNativeEnds = (job: NativeEndsJob) => Promise<void>;
