import { stringify } from "csv-stringify/sync";
import { checkOptions } from "../../src/errors.ts";
import { type Column, type ColumnName, columns } from "./columns.ts";
import type { MessageRow } from "./message_row.ts";

/** How the output looks. */
export interface CsvOptions {
  /** From left to right. */
  readonly columns: readonly ColumnName[];
  /** What stands between two values: one character. Default: a comma. */
  readonly delimiter?: string;
  /**
   * Whether strings that a spreadsheet would run as a formula get an apostrophe before them; numbers
   * never do. Default: true.
   */
  readonly escapeFormulas?: boolean;
}

const mark = "\0";

/** Tells whether a text has nothing of any meaning to CSV, nor, at its beginning, to a spreadsheet. */
function plainTest(delimiter: string): (text: string) => boolean {
  const code = delimiter.charCodeAt(0).toString(16).padStart(4, "0");
  const special = new RegExp(`["\\r\\n\\u${code}]|^[=+\\-@\\t\uff1d\uff0b\uff0d\uff20]`);
  return (text) => !special.test(text);
}

/** Rows as text. */
export interface CsvFormat {
  /** The first line. */
  header(): string;
  /** The lines of some rows, one after the other. */
  lines(rows: readonly MessageRow[]): string;
}

/**
 * Makes a writer of CSV as RFC 4180 has it.
 *
 * @throws {TypeError} If an option is unknown.
 * @throws {RangeError} If there is no such column, none at all, or the delimiter is no single
 * character or one that CSV needs itself.
 */
export function csvFormat(options: CsvOptions): CsvFormat {
  const action = "write CSV";
  checkOptions(action, options, ["columns", "delimiter", "escapeFormulas"]);
  const { columns: names, delimiter = ",", escapeFormulas = true } = options;
  const known = Object.keys(columns);
  const unknown = names.find((name) => !known.includes(name));
  if (names.length === 0 || unknown !== undefined) {
    const got = unknown === undefined ? "none" : unknown;
    throw new RangeError(`Cannot ${action}: columns must be of ${known.join(", ")}, got ${got}`);
  }
  if (delimiter.length !== 1 || '"\r\n'.includes(delimiter)) {
    throw new RangeError(
      `Cannot ${action}: delimiter must be one character, no quote and no line break, got ${
        JSON.stringify(delimiter)
      }`,
    );
  }
  const chosen: readonly Column[] = names.map((name) => columns[name]);
  const settings = {
    delimiter,
    escape_formulas: escapeFormulas,
    record_delimiter: "\r\n",
    // Half a line break is one to many who read it, too.
    quote_record_delimiter: true,
    // An empty line would be no record at all to many who read it.
    quoted_empty: names.length === 1,
  };
  const isPlain = plainTest(delimiter);
  const isEmptyPlain = names.length > 1;
  const stringifyAll = (rows: readonly MessageRow[]) =>
    stringify(rows.map((row) => chosen.map((column) => column.value(row))), settings);

  // Most values are plain, and the writer of CSV makes much garbage of each: it gets the others alone.
  const lines = (rows: readonly MessageRow[]) => {
    const before: string[] = [];
    const others: string[][] = [];
    let text = "";
    for (const row of rows) {
      for (let index = 0; index < chosen.length; index++) {
        if (index > 0) text += delimiter;
        const value = chosen[index]!.value(row) ?? "";
        const shown = String(value);
        if (shown === "" ? isEmptyPlain : isPlain(shown)) text += shown;
        else if (typeof value === "number") return stringifyAll(rows);
        else {
          before.push(text);
          others.push([value]);
          text = "";
        }
      }
      text += "\r\n";
    }
    if (others.length === 0) return text;
    const written = stringify(others, { ...settings, record_delimiter: mark }).split(mark);
    // A value has the mark itself.
    if (written.length !== others.length + 1) return stringifyAll(rows);
    return before.map((part, index) => part + written[index]).join("") + text;
  };
  return { header: () => stringify([[...names]], settings), lines };
}
