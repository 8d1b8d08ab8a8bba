/** What is done to a field of copied rows on its way. */
export const copyChanges = {
  none: 0,
  /** `t` and `f` become `true` and `false`. */
  boolean: 1,
  /** A time becomes what ISO 8601 has, between the date and it a `T`. */
  timestamp: 2,
  /** As well, and `Z` for UTC. */
  timestamptz: 3,
  /** A bit: what a spreadsheet would run as a formula gets an apostrophe. */
  formula: 4,
  /** A bit: a number gets it if it has no digits, as text has it then. */
  infinite: 8,
} as const;

/** What stands between the fields of copied rows, as bytes, and what becomes of them. */
export interface CopyMarks {
  readonly delimiter: number;
  readonly quote: number;
  /** Whether the quotes are the format's own; otherwise they are of the copy alone, and are taken away. */
  readonly isQuoteKept: boolean;
  readonly lineEnd: string;
  /** One of `copyChanges`, with its bits, for each field, where the quotes are kept. */
  readonly changes?: Uint8Array;
}
