import type { Machine } from "../../bench/results/result.ts";

/** What one run of a contestant came to. */
export interface QueueRow {
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
  readonly startedAt: string;
  readonly commit: string | null;
  readonly machine: Machine;
}
