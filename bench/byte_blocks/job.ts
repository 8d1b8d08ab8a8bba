/** Rows to lines of JSON, to UTF-8, to gzip. */
export interface BlocksJob {
  readonly rows: readonly object[];
  /** Takes the compressed bytes. */
  take(chunk: Uint8Array): void;
}

/** Runs the job; a contestant is one such function. */
export type RunBlocks = (job: BlocksJob) => Promise<void>;
