import { isUtf8 } from "node:buffer";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { JsonRows } from "../formats/json_lines.ts";
import type { Span } from "../source.ts";
import type { Value } from "../value.ts";
import { quoteName, type SqlColumn } from "./sql_shape.ts";
import { sqliteAffinity } from "./sqlite_affinity.ts";

/**
 * What SQLite makes of values that a column is given, `row` for a column that is the row number itself, `virtual` for
 * one that is computed as it is read.
 */
type SqliteAffinity = "row" | "virtual" | ReturnType<typeof sqliteAffinity>;

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
  readonly hidden: number;
}

const isVirtual = 2;

/** The affinity of each column of a table with row numbers, by the expression that reads it. */
function sqliteAffinities(
  database: DatabaseSync,
  table: string,
): ReadonlyMap<string, SqliteAffinity> {
  const columns = database.prepare("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)")
    .all(table) as unknown as ColumnRow[];
  const isAlone = columns.filter(({ pk }) => pk > 0).length === 1;
  // `INTEGER PRIMARY KEY DESC` is another column; so its key has an index of its own.
  const hasIndex = database.prepare("SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk'")
    .get(table) !== undefined;
  return new Map(columns.map(({ name, type, pk, hidden }) => {
    const isRow = pk > 0 && isAlone && !hasIndex && type.toUpperCase() === "INTEGER";
    const affinity = isRow ? "row" : hidden === isVirtual ? "virtual" : sqliteAffinity(type);
    return [`t.${quoteName(name)}`, affinity];
  }));
}

/** Values of a slice, and the bytes of the largest of them. */
const mostValues = 1_600;
const mostRows = 100;
const largeBytes = 2_048;
/** SQLite's functions take no more. */
const mostColumns = 100;
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

/** Rows that follow each other; `made` is `undefined` if they must be read with care. */
export interface SqliteSlice<Made> {
  readonly part: Span;
  readonly made: Made | undefined;
}

/**
 * Reads a table in slices of its row numbers, each as one JSON that SQLite makes: a value by itself costs many times
 * as much on its way into a runtime. JSON of SQLite's has no more than 15 digits of a number that is no integer, so
 * columns of such numbers are read apart. A row with a value that is large, or that is no such thing as its column is
 * for, makes its slice one that must be read with care.
 */
export class SqliteSlices {
  readonly #next: StatementSync;
  readonly #read: StatementSync;
  readonly #readApart: StatementSync | undefined;
  readonly #rows: number;
  readonly #isApart: readonly boolean[];

  readonly #isInOrder: boolean;

  private constructor(
    database: DatabaseSync,
    affinities: ReturnType<typeof sqliteAffinities>,
    { tables, key, columns, maxValueBytes }: SqliteSlicesOptions,
  ) {
    const most = Math.min(largeBytes, maxValueBytes);
    this.#rows = Math.max(1, Math.min(mostRows, Math.floor(mostValues / columns.length)));
    const affinityOf = ({ expression }: SqlColumn) => affinities.get(expression) ?? "blob";
    this.#isApart = columns.map((column) => /^(?:real|numeric)$/.test(affinityOf(column)));
    const oddities = columns.map((column) => {
      const { expression: x } = column;
      const affinity = affinityOf(column);
      // Row numbers are in the span, which a number can hold.
      if (affinity === "row") return [];
      if (affinity === "text" || affinity === "blob") {
        return [`octet_length(${x}) > ${most}`, `${x} >= x''`];
      }
      // Texts and bytes are after all numbers.
      const isNoNumber = `${x} >= ''`;
      return affinity === "numeric"
        ? [isNoNumber, `${x} > ${mostNumber}`, `${x} < -${mostNumber}`]
        : [isNoNumber];
    });
    const inPart = `FROM ${tables} WHERE ${key} >= ? AND ${key} < ?`;
    const isOdd = oddities.flat().join(" OR ") || "0";
    const selected = columns.filter((_, index) => !this.#isApart[index])
      .map(({ expression }) => expression).join(", ");
    // What a runtime could not take is not given to it.
    const apart = columns.flatMap(({ expression: x }, index) =>
      this.#isApart[index]
        ? [`CASE WHEN ${oddities[index]!.join(" OR ")} THEN NULL ELSE ${x} END`]
        : []
    ).join(", ");
    this.#next = database.prepare(
      `SELECT ${key} AS next ${inPart} ORDER BY ${key} LIMIT 1 OFFSET ?`,
    );
    const row = `CASE WHEN ${isOdd} THEN NULL ELSE json_array(${selected}) END`;
    const read = `SELECT CAST(json_group_array(${row}) AS BLOB) AS json ${inPart}`;
    this.#read = database.prepare(read);
    // What is found by row number comes in that order, and by no other index; to ask for it would be to sort.
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${read}`).all(0, 1);
    this.#isInOrder = plan.length === 1 &&
      /^SEARCH t USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/.test(
        String(plan[0]!.detail),
      );
    if (apart === "") return;
    this.#readApart = database.prepare(`SELECT ${apart} ${inPart} ORDER BY ${key}`);
    this.#readApart.setReturnArrays(true);
  }

  /** Prepares to read a table; `undefined`: it has no row numbers, or too many columns, or computed ones. */
  static open(database: DatabaseSync, options: SqliteSlicesOptions): SqliteSlices | undefined {
    const { table, columns } = options;
    if (columns.length > mostColumns) return;
    const affinities = sqliteAffinities(database, table);
    // JSON that is computed would stand in JSON as it is, and no longer as text.
    if (columns.some(({ expression }) => affinities.get(expression) === "virtual")) return;
    const slices = new SqliteSlices(database, affinities, options);
    return slices.#isInOrder ? slices : undefined;
  }

  /** Gives the slices of a part with what `make` makes of their rows: nothing, if among them is what is odd. */
  *slices<Made extends { readonly rows: number }>(
    { from, to }: Span,
    make: (rows: JsonRows) => Made | undefined,
  ): Generator<SqliteSlice<Made>, void> {
    // What is odd is seldom alone: more is then taken for it, and looked at less often.
    let oddSlices = 0;
    // Where no row number is missing, there is no need to look where the next slice begins.
    let isDense = false;
    while (from < to) {
      if (oddSlices > 0) {
        const part = this.#partFrom(from, to, this.#rows * 2 ** Math.min(oddSlices, 7));
        yield { part, made: undefined };
        from = part.to;
        if (from >= to) return;
      }
      const part: Span = isDense
        ? { from, to: Math.min(to, from + this.#rows) }
        : this.#partFrom(from, to, this.#rows);
      const { json } = this.#read.get(part.from, part.to) as { json: Uint8Array };
      // What is no UTF-8 is no text.
      const made: Made | undefined = isUtf8(json)
        ? make({
          ...{ json, mostRows: this.#rows, isApart: this.#isApart },
          apart: this.#readApart?.all(part.from, part.to) as unknown as Value[][] ?? [],
        })
        : undefined;
      oddSlices = made === undefined ? oddSlices + 1 : 0;
      isDense = made?.rows === part.to - part.from;
      yield { part, made };
      from = part.to;
    }
  }

  #partFrom(from: number, to: number, rows: number): Span {
    const found = this.#next.get(from, to, rows);
    return { from, to: found === undefined ? to : Number(found.next) };
  }
}
