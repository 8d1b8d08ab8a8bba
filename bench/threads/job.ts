/** What is done with each chunk. */
export type ThreadsKind = "ndjson" | "gzip" | "match" | "hash" | "tiny";

/** Chunks, and what takes the results in their order. */
export interface ThreadsJob {
  readonly kind: ThreadsKind;
  readonly threads: number;
  /** Bytes of lines in blocks of 64 KiB that are cut anywhere, lines of text, or numbers. */
  readonly chunks: readonly unknown[];
  take(result: unknown): void;
}

/** Runs the job; a contestant is one such function. */
export type RunThreads = (job: ThreadsJob) => Promise<void>;
