/** What stands between the fields of copied rows, as bytes. */
export interface CopyMarks {
  readonly delimiter: number;
  readonly quote: number;
  /** Whether the quotes are the format's own; otherwise they are of the copy alone, and are taken away. */
  readonly isQuoteKept: boolean;
  readonly lineEnd: string;
}
