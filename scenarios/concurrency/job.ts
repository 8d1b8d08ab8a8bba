import type { ArticleRun } from "./article_runs.ts";

/** What a contestant of the run table is given. */
export interface ConcurrencyJob extends Pick<ArticleRun, "concurrency" | "batchSize" | "admit"> {
  readonly messages: Iterable<string>;
  /** The threshold of every buffer, in messages. */
  readonly highWaterMark: number;
  write(message: string): Promise<void>;
}

/** Brings every message from the reader through a transformer to `write`. */
export type RunConcurrency = (job: ConcurrencyJob) => Promise<void>;
