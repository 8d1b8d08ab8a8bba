import type { Measured } from "../rows/measured.ts";

/** The most memory that one export held. */
export interface MemoryRow extends Measured {
  /** `PostgreSQL` or `SQLite`. */
  readonly database: string;
  readonly runtime: string;
  readonly rows: number;
  /** Bytes that were written. */
  readonly bytes: number;
  readonly peakMiB: number;
}
