import type { Row } from "../row_batch.ts";

/** Rows as text. */
export interface RowFormat {
  /** What comes before the first row. */
  header(): string;
  /** The lines of some rows, one after the other. */
  lines(rows: readonly Row[]): string;
  /** The line of a large row, in parts. */
  parts(row: Row): Iterable<string>;
}
