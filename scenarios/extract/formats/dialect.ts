import type { TextBytes, Value } from "../value.ts";
import type { Row } from "../source.ts";

/** Rows as text. */
export interface RowFormat extends Pick<Dialect, "marks" | "names" | "isNumberPlain"> {
  /** What comes before the first row. */
  header(): string;
  /** What stands for a value; `undefined`: nothing, not even its name. */
  field(value: Value): string | undefined;
  /** The lines of some rows, one after the other. */
  lines(rows: readonly Row[]): string;
  /** The line of a large row, in parts. */
  parts(row: Row): Iterable<string>;
}

const encoder = new TextEncoder();

/** What stands before each field of a line, as bytes, where none of them is missing. */
export function fieldPrefixes({ marks: [before, between], names }: RowFormat, count: number) {
  return Array.from(
    { length: count },
    (_, index) => encoder.encode((index === 0 ? before : between) + (names?.[index] ?? "")),
  );
}

/** What formats differ in. */
export interface Dialect {
  /** Before, between and after the values of a row. */
  readonly marks: readonly [before: string, between: string, after: string];
  /** What stands before each value of a column. */
  readonly names?: readonly string[];
  /** What stands for a value that is missing; `undefined`: nothing, not even its name. */
  readonly missing: string | undefined;
  readonly nullText: string;
  /** A boolean or a number. */
  plain(text: string): string;
  /** Whether a finite number is what its text is. */
  readonly isNumberPlain: boolean;
  /** Zero with a sign, which readers would lose. */
  readonly negativeZero: string;
  /** A number that JSON does not know. */
  odd(text: string): string;
  /** JSON as it stands in the source. */
  json(text: string): string;
  text(text: string): string;
  /** A large text, in parts. */
  largeText(text: string | TextBytes): Iterable<string>;
}
