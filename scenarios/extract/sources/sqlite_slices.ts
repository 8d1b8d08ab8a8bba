import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Span } from "../span.ts";
import type { Value } from "../value.ts";
import { quoteName } from "./quote_name.ts";
import { quoteText } from "./quote_text.ts";
import type { SqlColumn } from "./sql_shape.ts";

/** Values of a slice, and the bytes of the largest of them. */
const mostValues = 1_600;
const mostRows = 100;
const largeBytes = 2_048;
const mostNumber = Number.MAX_SAFE_INTEGER;

/** What slices are read of. */
export interface SqliteSlicesOptions {
  /** The table, as its name is written in messages. */
  readonly table: string;
  readonly tables: string;
  /** The row number, which rows are ordered by. */
  readonly key: string;
  readonly columns: readonly SqlColumn[];
  readonly maxValueBytes: number;
}

/** Rows that follow each other; `rows` is `undefined` if they must be read with care. */
export interface SqliteSlice {
  readonly part: Span;
  readonly rows: Value[][] | undefined;
  /** About how much memory their values take. */
  readonly bytes: number;
}

/** Whether a runtime cuts texts at U+0000. */
function cutsTexts(database: DatabaseSync): boolean {
  return String(database.prepare("SELECT 'a' || char(0) || 'b' AS t").get()?.t).length < 3;
}

/**
 * Reads a table in slices of its row numbers. SQLite first looks whether a slice has any value that a runtime would
 * change or that is large: what a value is and how long it is stands before it, which is a fraction of the work of
 * choosing, for each value by itself, how to read it. Most slices have none, and their values are read as they are.
 */
export class SqliteSlices {
  readonly #look: StatementSync;
  readonly #skip: StatementSync;
  readonly #read: StatementSync;
  readonly #isCut: boolean;
  readonly #rows: number;
  /** How many columns have texts. */
  readonly #isLong: readonly boolean[];

  constructor(database: DatabaseSync, options: SqliteSlicesOptions) {
    const { table, tables, key, columns, maxValueBytes } = options;
    const found = database.prepare(`SELECT name, type FROM pragma_table_xinfo(${quoteText(table)})`)
      .all() as unknown as { name: string; type: string }[];
    const types = new Map(found.map(({ name, type }) => [`t.${quoteName(name)}`, type]));
    // As SQLite itself has it.
    const isText = (type: string) => /CHAR|CLOB|TEXT/i.test(type) && !/INT/i.test(type);
    const isBinary = (type: string) => type === "" || /BLOB/i.test(type) && !/INT/i.test(type);
    this.#isCut = cutsTexts(database);
    this.#rows = Math.max(1, Math.min(mostRows, Math.floor(mostValues / columns.length)));
    const most = Math.min(largeBytes, maxValueBytes);
    const odd: string[] = [];
    const lengths: string[] = [];
    this.#isLong = columns.map(({ expression: x }) => {
      const type = types.get(x) ?? "";
      const isLong = isText(type) || isBinary(type);
      if (isLong) lengths.push(`coalesce(octet_length(${x}), 0)`);
      if (isLong) odd.push(`octet_length(${x}) > ${most}`);
      else odd.push(`${x} NOT BETWEEN -${mostNumber} AND ${mostNumber}`);
      if (isBinary(type)) odd.push(`typeof(${x}) = 'integer'`);
      return isLong;
    });
    const length = this.#isCut && lengths.length > 0 ? lengths.join(" + ") : "0";
    const from = `FROM ${tables} WHERE ${key} >= ? AND ${key} < ? ORDER BY ${key}`;
    this.#look = database.prepare(
      `SELECT max(k) AS last, max(odd) AS odd, total(bytes) AS bytes FROM ` +
        `(SELECT ${key} AS k, (${odd.join(" OR ")}) AS odd, ${length} AS bytes ${from} LIMIT ?)`,
    );
    this.#skip = database.prepare(`SELECT max(k) AS last FROM (SELECT ${key} AS k ${from} LIMIT ?)`);
    const selected = columns.map(({ expression }) => expression).join(", ");
    this.#read = database.prepare(`SELECT ${selected} ${from}`);
    this.#read.setReturnArrays(true);
  }

  /** Gives the slices of a part. */
  *slices({ from, to }: Span): Generator<SqliteSlice, void> {
    // What is odd is seldom alone: more is then taken for it, and looked at less often.
    let oddSlices = 0;
    while (from < to) {
      if (oddSlices > 0) {
        const { last } = this.#skip.get(from, to, this.#rows * 2 ** Math.min(oddSlices, 7))!;
        if (last === null) return;
        yield { part: { from, to: Number(last) + 1 }, rows: undefined, bytes: 0 };
        from = Number(last) + 1;
      }
      const { last, odd, bytes } = this.#look.get(from, to, this.#rows)!;
      if (last === null) return;
      const part = { from, to: Number(last) + 1 };
      const slice = odd === 1 ? undefined : this.#readRows(part, Number(bytes));
      oddSlices = slice === undefined ? oddSlices + 1 : 0;
      yield slice ?? { part, rows: undefined, bytes: 0 };
      from = part.to;
    }
  }

  #readRows(part: Span, expected: number): SqliteSlice | undefined {
    const rows = this.#read.all(part.from, part.to) as unknown as Value[][];
    const isLong = this.#isLong;
    let bytes = 0;
    for (let row = 0; row < rows.length; row++) {
      const values = rows[row]!;
      for (let index = 0; index < isLong.length; index++) {
        if (!isLong[index]) continue;
        const value = values[index];
        if (typeof value === "string") {
          // It stands for what was no UTF-8.
          if (value.includes("\ufffd")) return undefined;
          bytes += value.length;
        } else if (value instanceof Uint8Array) bytes += value.length;
      }
    }
    // A text that was cut is shorter, but so is one that is not ASCII.
    if (this.#isCut && bytes !== expected) return undefined;
    return { part, rows, bytes: bytes + 8 * isLong.length * rows.length };
  }
}
