import type { TextBytes } from "../text_bytes.ts";

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
