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
  /** In JSON a number, unless it has no digits. */
  number: 16,
  /** In JSON what it is. */
  json: 32,
} as const;

/** How lines are written that are not CSV. */
export interface TextMarks {
  /** What stands before each field. */
  readonly names: readonly Uint8Array[];
  readonly nullText: Uint8Array;
  /** What becomes of a byte of a text: itself (0), a letter after a backslash, `\u00` and two digits (`u`), a blank. */
  readonly escapes: Uint8Array;
  /** The same for JSON that the source has. */
  readonly jsonEscapes: Uint8Array;
  /** Whether texts stand between quotes. */
  readonly isJson: boolean;
}

/** What stands between the fields of copied rows, as bytes, and what becomes of them. */
export interface CopyMarks {
  readonly delimiter: number;
  readonly quote: number;
  readonly lineEnd: string;
  /** One of `copyChanges`, with its bits, for each field. */
  readonly changes: Uint8Array;
  /** Where lines are not CSV, whose quotes stay as the server has set them. */
  readonly text?: TextMarks;
}
