/** Numbers from a native source through stages to a native sink. */
export interface NativeEndsJob {
  /** A fresh native stream. */
  readonly source: ReadableStream<number>;
  /** A fresh native stream. */
  readonly sink: WritableStream<number>;
  readonly stages: readonly ((chunk: number) => number)[];
  /** How much each buffer between them holds; default: as the standard has it. */
  readonly strategy?: QueuingStrategy<number> | undefined;
}

/** Moves everything from the source to the sink; a contestant is one such function. */
export type RunNativeEnds = (job: NativeEndsJob) => Promise<void>;
