import type { Value } from "./value.ts";

/** The values of a row, one for each title. */
export type Row = readonly Value[];

/** Rows that are passed on together. */
export interface RowBatch {
  readonly rows: readonly Row[];
  /** About how much memory their values take. */
  readonly bytes: number;
  /** Where the last of them lies in the span that is read, where rows have such a place. */
  readonly at: number | undefined;
  /** The key of the last of them, where the selection asks for it. */
  readonly key?: readonly string[] | undefined;
  /** Whether it is one row too large to be made one text. */
  readonly isLarge: boolean;
}
