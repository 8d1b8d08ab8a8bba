import type { Customers } from "./steps/steps.ts";

/** Where the events are read from. */
export type From = "file" | "gzip" | "http";

/** One run of the job: read events as lines of JSON, write orders as lines of JSON. */
export interface RealJob {
  readonly from: From;
  /** The file of events, compressed if `from` says so. */
  readonly inputPath: string;
  /** Where a server answers with the events. */
  readonly url: string;
  readonly outputPath: string;
  /** What orders are enriched by. */
  readonly customers: Customers;
}

/** Does the job; resolves once the output is written and closed. */
export type RunRealWork = (job: RealJob) => Promise<void>;
