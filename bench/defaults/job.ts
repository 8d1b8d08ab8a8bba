/** What is done with rows. */
export const jobNames = ["file", "gzip", "response", "body", "bytes"] as const;
/** One of {@linkcode jobNames}. */
export type JobName = (typeof jobNames)[number];

/** A row as a query gives it. */
export interface Row {
  readonly id: number;
  readonly name: string;
  readonly total: number;
}

/** Rows that become lines of JSON. */
export interface Job {
  rows(): Iterable<Row>;
  /** Where `file` and `gzip` write to. */
  readonly outputPath: string;
}

/** Does a job; `response`, `body` and `bytes` give the bytes, or how many a client was sent. */
export type RunJob = (job: Job) => Promise<Uint8Array | void>;

/** What a contestant can do, by the job's name. */
export type Jobs = Partial<Record<JobName, RunJob>>;
