import type { DecodingOptions } from "../decoding_options.ts";

/** Columns by name, as a list, or each with what makes its value of the field's text. */
export type CsvColumns = readonly string[] | Readonly<Record<string, (text: string) => unknown>>;

/** What was let pass by `relax`. */
export interface CsvProblem {
  /** The line, from 1; a quoted field may have several. */
  readonly line: number;
  /** Where in the line, in UTF-16 code units from 1. */
  readonly column: number;
  /** What is wrong. */
  readonly message: string;
}

/** How `parseCsv` works. */
export interface ParseCsvOptions extends DecodingOptions {
  /** Whether the first row names the columns. Default: `true`. */
  header?: boolean | undefined;
  /**
   * Which columns rows have. With a header they are chosen by name, and each must be there, in an empty file too; without one they name the
   * fields from left to right. As an object, each has a function that gets the field's text and makes the value, such
   * as `{ id: Number, name: String }`. Default: those of the header, as text; without a header rows are arrays.
   */
  columns?: CsvColumns | undefined;
  /** What stands between two fields: one UTF-16 code unit. Default: a comma. */
  delimiter?: string | undefined;
  /** What stands around a field, and twice within it: one UTF-16 code unit, or `""` for none. Default: `"`. */
  quote?: string | undefined;
  /**
   * What a line begins with that is left out: one UTF-16 code unit, such as `#`; `""` for nothing. With `trim` there may
   * be blanks before it. Within a row or a quoted field it is text. Default: `""`.
   */
  comment?: string | undefined;
  /**
   * Whether spaces and tabs around fields are left out, also around the quotes of one and in the header. Default:
   * `false`, they are text.
   */
  trim?: boolean | undefined;
  /**
   * Whether to let pass what is no CSV: rows with too few fields or too many, a header with a name twice, text
   * after a closing quote, a quoted field that does not end. A function is called with each of them, to be counted. Default: `false`, it fails the stream.
   */
  relax?: boolean | ((problem: CsvProblem) => void) | undefined;
  /** How many names a header may have. Default: 16,384, as many columns as spreadsheets know. */
  maxColumns?: number | undefined;
  /** The longest field allowed, in UTF-16 code units. Default: `Infinity`, as far as a row may be long. */
  maxFieldLength?: number | undefined;
  /**
   * The longest row allowed, in UTF-16 code units, with its delimiters and quotes. Default: 16,777,216, so that a
   * quote that is never closed does not read the rest of the stream into memory. `Infinity` is no limit.
   */
  maxRowLength?: number | undefined;
}
