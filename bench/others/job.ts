/** What is done with the chunks. */
export type Shape =
  | "enqueue"
  | "iterate"
  | "pipe"
  | "read"
  | "tee"
  | "tee-in-turn"
  | "write";

/** What a stage does with a chunk. */
export type StageWork = "async" | "copy" | "expand" | "gzip" | "pass" | "xor";

/** One row of another's benchmark: chunks that are alike, from memory, to a sink that counts. */
export interface OthersJob {
  readonly shape: Shape;
  /** What each stage does, in order. */
  readonly stages: readonly StageWork[];
  readonly chunk: Uint8Array<ArrayBuffer>;
  readonly chunks: number;
  /** Whether the source is a stream of bytes, whose chunks are new each time. */
  readonly isBytes: boolean;
  /** How many read what is shared. */
  readonly readers: number;
  take(chunk: Uint8Array): void;
}

/** Runs the job once; a contestant is one such function. */
export type RunOthers = (job: OthersJob) => Promise<void>;
