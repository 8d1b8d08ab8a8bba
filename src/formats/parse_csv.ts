import { checkDecoding, decodingOptions } from "../check_decoding.ts";
import { checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import { splitInTurns } from "../kernels/split_in_turns.ts";
import type { Transformer } from "../web_types.ts";
import { CsvRows } from "./csv_rows.ts";
import { CsvSplitter } from "./csv_splitter.ts";
import { checkCsvMarks } from "./check_csv_marks.ts";
import type { CsvColumns, ParseCsvOptions } from "./parse_csv_options.ts";

const action = "create parseCsv";
const defaultMaxRowLength = 16_777_216;
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
  checkOptions(action, options, [
    "header",
    "columns",
    "delimiter",
    "quote",
    "comment",
    "trim",
    "relax",
    "maxColumns",
    "maxFieldLength",
    "maxRowLength",
    ...decodingOptions,
  ]);
  const { header = true, delimiter = ",", quote = '"', relax = false } = options;
  const { comment = "", trim = false } = options;
  const { maxColumns = 16_384, maxFieldLength = Infinity } = options;
  const { maxRowLength = defaultMaxRowLength } = options;
  if (typeof header !== "boolean") throwTypeError(action, "header", "a boolean", header);
  checkColumns(options.columns, header);
  checkCsvMarks(action, delimiter, quote, true, comment);
  if (typeof trim !== "boolean") throwTypeError(action, "trim", "a boolean", trim);
  if (typeof relax !== "boolean" && typeof relax !== "function") {
    throwTypeError(action, "relax", "a boolean or a function", relax);
  }
  checkInteger(action, "maxColumns", maxColumns, 1, true);
  checkInteger(action, "maxFieldLength", maxFieldLength, 1, true);
  checkInteger(action, "maxRowLength", maxRowLength, 1, true);
  // Copied, since the caller may change them.
  const columns: CsvColumns | undefined = options.columns === undefined
    ? undefined
    : Array.isArray(options.columns)
    ? [...options.columns]
    : { ...options.columns };
  const onProblem = relax === true ? letPass : relax === false ? undefined : relax;
  const decoding = checkDecoding(action, options);
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
