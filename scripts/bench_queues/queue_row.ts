import type { Measured } from "../rows/measured.ts";

/** What one run of a contestant came to. */
export interface QueueRow extends Measured {
  readonly contestant: string;
  readonly runtime: string;
  readonly workers: number;
  readonly messages: number;
  readonly batchSize: number;
  readonly perSecond: number;
  /** CPU time of the workers for each message. */
  readonly cpuMicroseconds: number;
  /** From send to stored. */
  readonly medianMs: number;
  readonly p99Ms: number;
}
