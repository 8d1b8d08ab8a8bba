import type { JsonText } from "../extract/json_text.ts";
import type { SpeltText } from "./spelt_text.ts";

/** A value as a file has it: CSV has texts; what is no text in NDJSON is JSON as it stands. */
export type Field = string | SpeltText | JsonText | null;

/** A row of a file. */
export interface LoadRecord {
  /** The line that it begins in, from 1. */
  readonly line: number;
  /** The columns that it has values of; the same array for rows that have the same. */
  readonly names: readonly string[];
  readonly fields: readonly Field[];
}

/** A row that cannot be loaded, and why. */
export interface DeadLetter {
  readonly line: number;
  readonly reason: string;
  readonly row: unknown;
}
