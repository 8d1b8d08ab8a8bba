import type { DecodingOptions } from "../decoding_options.ts";
import { checkDecoding, decodingReaders } from "../check_decoding.ts";
import { throwTypeError } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import { splitInTurns } from "../kernels/split_in_turns.ts";
import { anything, boolean, integer, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import { CsvSplitter } from "./csv_splitter.ts";
import { checkCsvMarks } from "./check_csv_marks.ts";

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

const action = "create parseCsv";
const letPass = () => {};

function checkColumns(columns: unknown, header: boolean): void {
  if (columns === undefined) return;
  if (columns === null || typeof columns !== "object") {
    throwTypeError(action, "columns", "an array of names or an object of functions", columns);
  }
  const names = Array.isArray(columns) ? columns : Object.keys(columns);
  if (names.length === 0) throw new RangeError(`Cannot ${action}: columns must have a name`);
  names.forEach((name, index) => {
    if (typeof name !== "string") throwTypeError(action, "a column", "a string", name);
    if (names.indexOf(name) < index) {
      throw new RangeError(
        `Cannot ${action}: columns must differ, got ${JSON.stringify(name)} twice`,
      );
    }
    if (Array.isArray(columns)) return;
    const convert: unknown = (columns as Record<string, unknown>)[name];
    if (typeof convert !== "function") {
      throwTypeError(action, `columns[${JSON.stringify(name)}]`, "a function", convert);
    }
    // An object has them in an order of its own.
    if (!header && /^\d+$/.test(name)) {
      throw new RangeError(
        `Cannot ${action}: without a header, no column may be a number, got ${name}`,
      );
    }
  });
}

/**
 * Parses CSV as RFC 4180 has it: text or bytes in, a row for each record out, an object with the header's names.
 *
 * Rows end at `\n`, `\r\n` or `\r`, also the last one need not. Blank lines are skipped; a row of one empty field is
 * `""`. A byte order mark at the start is left out. All values are text, unless `columns` makes something of them.
 *
 * What is no CSV fails the stream with a `SyntaxError` that says the line and the column: a row with another number
 * of fields than the header or the first row, a name twice in the header, text after a closing quote, a quoted field
 * that does not end. With `relax` it is let pass: fields that lack are absent, those beyond the header are left out of
 * objects, a name's second use is called `name_2`, or by the next number that no column of the header has, and a field
 * with text after its closing quote is what is there, quotes and all. A row or a field that is too long, or a header of
 * too many names, fails with a `RangeError`, also before its end has been seen. A quote within a field that does not
 * begin with one is text.
 *
 * A field is cut out of its chunk, and one that is kept keeps the chunk alive; docs/library.md says how to copy it.
 *
 * @typeParam Columns The type of `columns`.
 * @param options The header, the columns, what stands between and around fields, and limits.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If an option has the wrong type or is unknown.
 * @throws {RangeError} If the encoding is unknown, a length is neither a positive integer nor `Infinity`, a delimiter or quote is not one
 * character that can be one, or `columns` has no name or one twice.
 *
 * @example Rows with types
 * ```ts
 * import { parseCsv } from "@hosepipe/streams/formats";
 * import assert from "node:assert/strict";
 *
 * const body = new Response('id,name\r\n1,"Smith, Ann"\r\n2,Bob\r\n').body!;
 * const rows = body.pipeThrough(new TransformStream(parseCsv({ columns: { id: Number, name: String } })));
 *
 * assert.deepEqual(await Array.fromAsync(rows), [{ id: 1, name: "Smith, Ann" }, { id: 2, name: "Bob" }]);
 * ```
 */
export function parseCsv<Columns extends Readonly<Record<string, (text: string) => unknown>>>(
  options: ParseCsvOptions & { columns: Columns },
): Transformer<string | Uint8Array, { [Name in keyof Columns]: ReturnType<Columns[Name]> }>;
/**
 * Parses CSV with columns that are text.
 *
 * @typeParam Name The names of the columns.
 * @param options The header, the columns, what stands between and around fields, and limits.
 */
export function parseCsv<const Name extends string>(
  options: ParseCsvOptions & { columns: readonly Name[] },
): Transformer<string | Uint8Array, { [Key in Name]: string }>;
/**
 * Parses CSV without names: each row is an array.
 *
 * @param options What stands between and around fields, and limits.
 */
export function parseCsv(
  options: ParseCsvOptions & { header: false; columns?: undefined },
): Transformer<string | Uint8Array, string[]>;
/**
 * Parses CSV with the names of its header.
 *
 * @param options What stands between and around fields, and limits.
 */
export function parseCsv(
  options?: ParseCsvOptions & { header?: true | undefined; columns?: undefined },
): Transformer<string | Uint8Array, Record<string, string>>;
/**
 * Parses CSV with options that are known only when the program runs.
 *
 * @param options The header, the columns, what stands between and around fields, and limits.
 */
export function parseCsv(options: ParseCsvOptions): Transformer<string | Uint8Array, unknown>;
export function parseCsv(options: ParseCsvOptions = {}): Transformer<string | Uint8Array, unknown> {
  const { header, maxColumns, ...read } = readOptions(action, options, {
    header: boolean(true),
    columns: anything(),
    delimiter: anything(","),
    quote: anything('"'),
    comment: anything(""),
    trim: boolean(false),
    relax: anything(),
    maxColumns: integer(16_384, 1, true),
    maxFieldLength: integer(Infinity, 1, true),
    maxRowLength: integer(16_777_216, 1, true),
    ...decodingReaders(),
  });
  const { delimiter, quote, comment, trim, relax = false, maxFieldLength, maxRowLength } = read;
  checkColumns(read.columns, header);
  checkCsvMarks(action, delimiter, quote, true, comment);
  if (typeof relax !== "boolean" && typeof relax !== "function") {
    throwTypeError(action, "relax", "a boolean or a function", relax);
  }
  // Copied, since the caller may change them.
  const columns: CsvColumns | undefined = Array.isArray(read.columns)
    ? [...read.columns]
    : read.columns && { ...read.columns };
  const onProblem = relax === true ? letPass : relax || undefined;
  const decoding = checkDecoding(action, read);
  const syntax = { delimiter, quote, comment, trims: trim, maxFieldLength, maxRowLength, decoding };
  return operator<string | Uint8Array, unknown>((controller, { turn }) => {
    const rows = new CsvRows(controller, { header, columns, maxColumns, onProblem });
    const splitter = new CsvSplitter(rows, syntax);
    return {
      transform: (chunk) => splitInTurns(splitter, chunk, controller, turn),
      flush() {
        splitter.finish();
        rows.finish();
      },
    };
  }, { name: "parseCsv" });
}

type Row = string[] | Record<string, unknown>;

/** What becomes of a stream's rows. */
interface CsvRowOptions {
  readonly header: boolean;
  readonly columns: CsvColumns | undefined;
  readonly maxColumns: number;
  /** Gets what is let pass; `undefined`: nothing is. */
  readonly onProblem: ((problem: CsvProblem) => void) | undefined;
}

/** Makes rows of the fields of one stream, and passes them on. */
class CsvRows {
  readonly #controller: { enqueue(row: unknown): void };
  readonly #columns: readonly string[] | undefined;
  readonly #convert: readonly ((text: string) => unknown)[] | undefined;
  readonly #onProblem: ((problem: CsvProblem) => void) | undefined;
  readonly #maxColumns: number;
  #awaitsHeader: boolean;
  /** The fields that a row has. */
  #count: number | undefined;
  /** The names of what goes into a row, and which field each is. */
  #names: readonly string[] | undefined;
  #places: readonly number[] | undefined;
  /** Which of the names each of those fields has. */
  #indexOfPlace: ReadonlyMap<number, number> | undefined;
  /** A row to be copied: all have one shape, and `__proto__` is a column like any other. */
  #template: Record<string, unknown> = {};

  constructor(controller: { enqueue(row: unknown): void }, options: CsvRowOptions) {
    const { header, columns, onProblem } = options;
    this.#controller = controller;
    this.#onProblem = onProblem;
    this.#maxColumns = options.maxColumns;
    this.#awaitsHeader = header;
    if (columns === undefined) return;
    const isList = Array.isArray(columns);
    this.#columns = isList ? columns : Object.keys(columns);
    this.#convert = isList ? undefined : Object.values(columns);
    if (!header) this.#setNames(this.#columns!);
  }

  /** Fails the stream, unless what is wrong is let pass. */
  report(line: number, column: number, message: string): void {
    if (this.#onProblem === undefined) {
      throw new SyntaxError(`Cannot parse CSV: line ${line}, column ${column}: ${message}`);
    }
    this.#onProblem({ line, column, message });
  }

  /** Takes a row's fields, and the number of the line it ends in. */
  add(fields: string[], line: number): void {
    if (this.#awaitsHeader) {
      this.#awaitsHeader = false;
      return this.#takeHeader(fields, line);
    }
    const count = this.#count ??= fields.length;
    if (fields.length !== count) {
      const has = fields.length === 1 ? "1 field" : `${fields.length} fields`;
      this.report(line, 1, `the row has ${has}, ${count} expected`);
    }
    this.#controller.enqueue(
      this.#names === undefined
        ? fields
        : fields.length < count
        ? this.#toShortObject(fields)
        : this.#toObject(fields),
    );
  }

  /** Fails the stream if columns were asked for and no header came. */
  finish(): void {
    if (this.#awaitsHeader && this.#columns !== undefined) this.#takeHeader([], 1);
  }

  #toObject(fields: readonly string[]): Row {
    const names = this.#names!;
    const places = this.#places;
    const convert = this.#convert;
    const row = { ...this.#template };
    for (let index = 0; index < names.length; index++) {
      const field = fields[places === undefined ? index : places[index]!]!;
      row[names[index]!] = convert === undefined ? field : convert[index]!(field);
    }
    return row;
  }

  /** What the row has of the columns, in their order: short rows under a wide header must not be wide objects. */
  #toShortObject(fields: readonly string[]): Row {
    const indexOf = this.#indexOfPlace;
    const indexes = indexOf === undefined
      ? fields.map((_, index) => index)
      : fields.flatMap((_, place) => indexOf.get(place) ?? []).sort((one, other) => one - other);
    return Object.fromEntries(indexes.map((index) => {
      const field = fields[this.#places === undefined ? index : this.#places[index]!]!;
      return [
        this.#names![index]!,
        this.#convert === undefined ? field : this.#convert[index]!(field),
      ];
    }));
  }

  #takeHeader(fields: readonly string[], line: number): void {
    if (fields.length > this.#maxColumns) {
      throw new RangeError(
        `Cannot parse CSV: line ${line}: the header has more than maxColumns ${this.#maxColumns}`,
      );
    }
    const seen = new Set<string>();
    // What a column is called in the file is no other's name.
    const taken = new Set(fields);
    // Where to go on for each name: thousands that are the same are not tried again and again.
    const numbers = new Map<string, number>();
    const unique = fields.map((name) => {
      let free = name;
      if (seen.has(name)) {
        this.report(line, 1, `the column ${JSON.stringify(name.slice(0, 80))} is there twice`);
        let number = numbers.get(name) ?? 2;
        do free = `${name}_${number++}`; while (taken.has(free));
        numbers.set(name, number);
        taken.add(free);
      }
      seen.add(name);
      return free;
    });
    this.#count = fields.length;
    if (this.#columns === undefined) return this.#setNames(unique);
    const placeOf = new Map(unique.map((name, place) => [name, place]));
    const places = this.#columns.map((name) => placeOf.get(name) ?? -1);
    const missing = places.indexOf(-1);
    if (missing !== -1) {
      throw new SyntaxError(
        `Cannot parse CSV: line ${line}, column 1: there is no column ${
          JSON.stringify(this.#columns[missing])
        }`,
      );
    }
    this.#places = places;
    this.#indexOfPlace = new Map(places.map((place, index) => [place, index]));
    this.#setNames(this.#columns);
  }

  #setNames(names: readonly string[]): void {
    this.#names = names;
    this.#count ??= names.length;
    this.#template = Object.fromEntries(names.map((name) => [name, undefined]));
  }
}
