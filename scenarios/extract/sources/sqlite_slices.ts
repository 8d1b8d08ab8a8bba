import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Span } from "../span.ts";
import type { Value } from "../value.ts";
import { sqliteAffinities } from "./sqlite_affinities.ts";
import type { SqlColumn } from "./sql_shape.ts";

/** Values of a slice, and the bytes of the largest of them. */
const mostValues = 1_600;
const mostRows = 100;
const largeBytes = 2_048;
/** An expression of more terms than some thousand is refused. */
const mostColumns = 200;
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
  readonly #next: StatementSync;
  readonly #look: StatementSync;
  readonly #read: StatementSync;
  readonly #isCut: boolean;
  readonly #rows: number;
  /** Whether a column may have texts or bytes. */
  readonly #isLong: readonly boolean[];

  constructor(database: DatabaseSync, options: SqliteSlicesOptions) {
    const { table, tables, key, columns, maxValueBytes } = options;
    const affinities = sqliteAffinities(database, table);
    const most = Math.min(largeBytes, maxValueBytes);
    const odd: string[] = [];
    const lengths: string[] = [];
    this.#isCut = cutsTexts(database);
    this.#rows = Math.max(1, Math.min(mostRows, Math.floor(mostValues / columns.length)));
    this.#isLong = columns.map(({ expression: x }) => {
      const affinity = affinities.get(x) ?? "blob";
      // Row numbers are in the span, which a number can hold.
      if (affinity === "row") return false;
      const isLong = affinity === "text" || affinity === "blob";
      if (isLong) lengths.push(`total(octet_length(${x}))`);
      if (isLong) odd.push(`octet_length(${x}) > ${most}`);
      // Texts and bytes are after all numbers.
      if (affinity === "real") odd.push(`${x} >= ''`);
      if (affinity === "number") odd.push(`${x} > ${mostNumber}`, `${x} < -${mostNumber}`);
      if (affinity === "blob") odd.push(`typeof(${x}) = 'integer'`);
      return isLong;
    });
    const inPart = `FROM ${tables} WHERE ${key} >= ? AND ${key} < ?`;
    const isOdd = odd.length === 0 ? "0" : `(${odd.join(" OR ")})`;
    this.#next = database.prepare(
      `SELECT ${key} AS next ${inPart} ORDER BY ${key} LIMIT 1 OFFSET ?`,
    );
    this.#look = database.prepare(
      this.#isCut && lengths.length > 0
        ? `SELECT max(${isOdd}) AS odd, ${lengths.join(" + ")} AS bytes ${inPart}`
        : `SELECT 1 AS odd, 0 AS bytes ${inPart} AND ${isOdd} LIMIT 1`,
    );
    const selected = columns.map(({ expression }) => expression).join(", ");
    this.#read = database.prepare(`SELECT ${selected} ${inPart} ORDER BY ${key}`);
    this.#read.setReturnArrays(true);
  }

  /** Whether so many columns can be looked at. */
  static canRead(columns: readonly SqlColumn[]): boolean {
    return columns.length <= mostColumns;
  }

  /** Gives the slices of a part. */
  *slices({ from, to }: Span): Generator<SqliteSlice, void> {
    // What is odd is seldom alone: more is then taken for it, and looked at less often.
    let oddSlices = 0;
    while (from < to) {
      if (oddSlices > 0) {
        const part = this.#partFrom(from, to, this.#rows * 2 ** Math.min(oddSlices, 7));
        yield { part, rows: undefined, bytes: 0 };
        from = part.to;
        if (from >= to) return;
      }
      const part = this.#partFrom(from, to, this.#rows);
      const { odd, bytes } = this.#look.get(part.from, part.to) ?? { odd: 0, bytes: 0 };
      const slice = odd === 1 ? undefined : this.#readRows(part, Number(bytes));
      oddSlices = slice === undefined ? oddSlices + 1 : 0;
      yield slice ?? { part, rows: undefined, bytes: 0 };
      from = part.to;
    }
  }

  #partFrom(from: number, to: number, rows: number): Span {
    const found = this.#next.get(from, to, rows);
    return { from, to: found === undefined ? to : Number(found.next) };
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
