import { describeValue, throwTypeError } from "../errors.ts";
import { type CsvFieldOptions, CsvFields } from "./csv_fields.ts";
import { operator } from "../kernels/operator.ts";
import { anything, boolean, readOptions, text } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import { checkCsvMarks } from "./check_csv_marks.ts";

/** What a field of CSV can be made of. */
export type CsvValue = string | number | bigint | boolean | Date | null | undefined;

/** A row: values from left to right, or by the names of their columns. */
export type CsvRow = readonly CsvValue[] | Readonly<Record<string, CsvValue>>;

/** How `formatCsv` works. */
export interface FormatCsvOptions {
  /**
   * The columns, from left to right: which values of an object are written, and how many an array has. Default: the
   * names of the first object, and then a name that is not among them fails the stream.
   */
  columns?: readonly string[] | undefined;
  /** Whether the names of the columns are the first line, if there are any. Default: `true`. */
  header?: boolean | undefined;
  /** What stands between two fields: one UTF-16 code unit. Default: a comma. */
  delimiter?: string | undefined;
  /** What stands around a field, and twice within it: one UTF-16 code unit. Default: `"`. */
  quote?: string | undefined;
  /** Whether every field is quoted but those that are null; otherwise those that need it are. Default: `false`. */
  quoteAll?: boolean | undefined;
  /** What is written for `null` and `undefined`; a text that is the same is quoted. Default: nothing. */
  nullText?: string | undefined;
  /** What ends a line. Default: `"\r\n"`, as in RFC 4180. */
  lineEnding?: "\r\n" | "\n" | undefined;
  /** Whether the output begins with a byte order mark, as Excel likes it. Default: `false`. */
  byteOrderMark?: boolean | undefined;
  /**
   * Whether a text that a spreadsheet would run as a formula gets an apostrophe before it, which changes it. Numbers
   * are left as they are. Default: `false`.
   */
  escapeFormulas?: boolean | undefined;
}

const action = "create formatCsv";

function readColumns(_action: string, _name: string, columns: unknown): string[] | undefined {
  if (columns === undefined) return undefined;
  if (!Array.isArray(columns)) throwTypeError(action, "columns", "an array of names", columns);
  for (const name of columns) {
    if (typeof name !== "string") throwTypeError(action, "a column", "a string", name);
  }
  if (columns.length === 0) throw new RangeError(`Cannot ${action}: columns must have a name`);
  return [...columns];
}

/**
 * Writes each row as a line of CSV, as RFC 4180 has it; a row is an array or an object.
 *
 * Fields that need it are quoted, and so are those that readers take for something of their own: an empty text where
 * null is nothing, `\.` alone in its row, a text with a byte order mark first. A `Date` is written in ISO 8601, a zero
 * with a sign as `-0`. What is no value of CSV, such as an object, fails the stream with a `TypeError` that says the
 * row and the column, and so does a row with another number of values than there are columns.
 *
 * @param options The columns, and how fields and lines look.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If an option has the wrong type or is unknown.
 * @throws {RangeError} If a delimiter or quote is not one character that can be one, `columns` is empty, or `nullText`
 * has a delimiter, a quote or a line break.
 *
 * @example Rows
 * ```ts
 * import { formatCsv } from "@hosepipe/streams/formats";
 * import assert from "node:assert/strict";
 *
 * const rows = [{ id: 1, name: "Smith, Ann" }, { id: 2, name: null }, { id: 3, name: "" }];
 * const text = ReadableStream.from(rows).pipeThrough(new TransformStream(formatCsv()));
 *
 * assert.deepEqual((await Array.fromAsync(text)).join(""), 'id,name\r\n1,"Smith, Ann"\r\n2,\r\n3,""\r\n');
 * ```
 */
export function formatCsv(options: FormatCsvOptions = {}): Transformer<CsvRow, string> {
  const read = readOptions(action, options, {
    columns: readColumns,
    header: boolean(true),
    delimiter: anything(","),
    quote: anything('"'),
    quoteAll: boolean(false),
    nullText: text(""),
    lineEnding: anything("\r\n"),
    byteOrderMark: boolean(false),
    escapeFormulas: boolean(false),
  });
  const { columns, header, lineEnding, byteOrderMark, ...look } = read;
  checkCsvMarks(action, look.delimiter, look.quote, false);
  if (lineEnding !== "\r\n" && lineEnding !== "\n") {
    throw new RangeError(
      `Cannot ${action}: lineEnding must be "\\r\\n" or "\\n", got ${JSON.stringify(lineEnding)}`,
    );
  }
  // Checks what is between the options.
  new CsvFields(look, 1);
  return operator((controller) => {
    const lines = new CsvLines(controller, { columns, header, byteOrderMark, lineEnding, look });
    return {
      transform: (row) => lines.add(row),
      flush: () => lines.finish(),
    };
  }, { name: "formatCsv" });
}

/** What a stream of lines looks like. */
interface CsvLinesOptions {
  readonly columns: readonly string[] | undefined;
  readonly header: boolean;
  readonly byteOrderMark: boolean;
  readonly lineEnding: string;
  readonly look: CsvFieldOptions;
}

/** Writes one stream's rows. */
class CsvLines {
  readonly #controller: { enqueue(line: string): void };
  readonly #options: CsvLinesOptions;
  /** What the first row or the options say; `names` are those of objects that the first row gave. */
  #fields: CsvFields | undefined;
  #columns: readonly string[] | undefined;
  #known: ReadonlySet<string> | undefined;
  #count = 0;
  #rowNumber = 0;

  constructor(controller: { enqueue(line: string): void }, options: CsvLinesOptions) {
    this.#controller = controller;
    this.#options = options;
    this.#columns = options.columns;
  }

  add(row: unknown): void {
    this.#rowNumber++;
    if (row === null || typeof row !== "object") {
      throwTypeError("format CSV", "a row", "an array or an object", row);
    }
    const isArray = Array.isArray(row);
    const fields = this.#fields ?? this.#begin(isArray ? row.length : Object.keys(row));
    const values = isArray ? this.#checkArray(row) : this.#valuesOf(row as Record<string, unknown>);
    const { delimiter } = this.#options.look;
    let line = this.#show(fields, values[0], 0);
    for (let index = 1; index < values.length; index++) {
      line += delimiter + this.#show(fields, values[index], index);
    }
    this.#controller.enqueue(line + this.#options.lineEnding);
  }

  finish(): void {
    if (this.#fields === undefined) this.#begin(0);
  }

  /** Writes what comes before the first row, of which the number of values or the names are given. */
  #begin(first: number | readonly string[]): CsvFields {
    const { header, byteOrderMark, lineEnding, look } = this.#options;
    if (this.#columns === undefined && typeof first === "object") {
      this.#columns = first;
      this.#known = new Set(first);
    }
    this.#count = this.#columns?.length ?? (first as number);
    if (this.#count === 0 && this.#rowNumber > 0) this.#refuse(" has no value");
    const fields = new CsvFields(look, this.#count);
    this.#fields = fields;
    const mark = byteOrderMark ? "\ufeff" : "";
    const names = header ? this.#columns : undefined;
    const text = names === undefined
      ? mark
      : mark + names.map((name) => fields.text(name)).join(look.delimiter) + lineEnding;
    if (text !== "") this.#controller.enqueue(text);
    return fields;
  }

  #checkArray(row: readonly unknown[]): readonly unknown[] {
    if (this.#known !== undefined) this.#refuse(" is an array, after objects");
    if (row.length === this.#count) return row;
    this.#refuse(` has ${row.length} values, ${this.#count} expected`);
  }

  #valuesOf(row: Readonly<Record<string, unknown>>): readonly unknown[] {
    const columns = this.#columns;
    if (columns === undefined) this.#refuse(" is an object, after arrays");
    const known = this.#known;
    if (known !== undefined) {
      const unknown = Object.keys(row).find((name) => !known.has(name));
      if (unknown !== undefined) {
        const name = JSON.stringify(unknown);
        this.#refuse(` has a column ${name} that the first has not: name the columns`);
      }
    }
    // Not what every object has, such as `constructor`.
    return columns.map((name) => Object.hasOwn(row, name) ? row[name] : undefined);
  }

  #show(fields: CsvFields, value: unknown, index: number): string {
    switch (typeof value) {
      case "string":
        return fields.text(value);
      case "number":
        // Its text would lose the sign of zero.
        return fields.plain(Object.is(value, -0) ? "-0" : String(value));
      case "bigint":
      case "boolean":
        return fields.plain(String(value));
      case "undefined":
        return fields.missing;
    }
    if (value === null) return fields.missing;
    if (value instanceof Date && !Number.isNaN(value.getTime())) {
      return fields.plain(value.toISOString());
    }
    const name = this.#columns?.[index];
    const column = name === undefined ? index + 1 : JSON.stringify(name);
    const what = value instanceof Date ? "an invalid Date" : describeValue(value);
    this.#refuse(`, column ${column} is ${what}, which CSV has nothing for`);
  }

  #refuse(problem: string): never {
    throw new TypeError(`Cannot format CSV: row ${this.#rowNumber}${problem}`);
  }
}
