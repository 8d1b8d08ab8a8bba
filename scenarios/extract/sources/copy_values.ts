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

const blank = 32;
const nought = 48;
const nine = 57;
const letterC = 67;
const letterT = 84;
const letterZ = 90;
const letterOfTrue = 116;
const words = { yes: [116, 114, 117, 101], no: [102, 97, 108, 115, 101] };

/** Whether a byte is a digit. */
export function isDigit(byte: number): boolean {
  return byte >= nought && byte <= nine;
}

/** Writes the boolean that the server calls `t` or `f`; returns where it ends. */
export function putBoolean(out: Uint8Array, from: number, letter: number): number {
  const word = letter === letterOfTrue ? words.yes : words.no;
  for (let index = 0; index < word.length; index++) out[from + index] = word[index]!;
  return from + word.length;
}

/** Whether a time is one that ISO 8601 has a form for: neither infinite nor before Christ. */
export function isTime(first: number, last: number): boolean {
  return isDigit(first) && last !== letterC;
}

/** Makes the time that stands in `out` what ISO 8601 has; returns where it ends. */
export function finishTime(out: Uint8Array, start: number, end: number, change: number): number {
  for (let index = start; index < end; index++) {
    if (out[index] !== blank) continue;
    out[index] = letterT;
    break;
  }
  if (change !== copyChanges.timestamptz) return end;
  // The zone of the session is UTC.
  out[end - 3] = letterZ;
  return end - 2;
}
