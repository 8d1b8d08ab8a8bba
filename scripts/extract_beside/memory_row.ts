import type { Machine } from "../../bench/results/result.ts";

/** The most memory that one export held. */
export interface MemoryRow {
  /** `PostgreSQL` or `SQLite`. */
  readonly database: string;
  readonly runtime: string;
  readonly rows: number;
  /** Bytes that were written. */
  readonly bytes: number;
  readonly peakMiB: number;
  readonly startedAt: string;
  readonly commit: string | null;
  readonly machine: Machine;
}
