import { constants, copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { BadRowError, nameRow } from "../bad_row_error.ts";
import { BatchBuilder } from "../batch_builder.ts";
import { chooseFields, findColumn } from "../choose_fields.ts";
import { createFormat } from "../formats/create_format.ts";
import type { FormatOptions } from "../formats/format_options.ts";
import { JsonLines, type JsonRows } from "../formats/json_lines.ts";
import { makeEach, toPiece } from "../to_piece.ts";
import type {
  CursorOptions,
  LineOptions,
  Piece,
  RowBatch,
  RowSource,
  Selection,
  Span,
  TimeSelection,
} from "../source.ts";
import { TextBytes, type Value } from "../value.ts";
import { conversationShape, messageTime } from "./conversation_shape.ts";
import {
  isAfterKey,
  numberTime,
  oneStatement,
  quoteName,
  type SqlColumn,
  type SqlShape,
  type SqlTime,
} from "./sql_shape.ts";
import { Buffer, isUtf8 } from "node:buffer";
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
/** Rows that are gathered at most, whatever the size of batches: holding more costs memory and saves no time. */
const mostRows = 100;
const largeBytes = 2_048;
/** SQLite's functions take no more. */
const mostColumns = 100;
const mostNumber = Number.MAX_SAFE_INTEGER;

/** What slices are read of. */
interface SqliteSlicesOptions {
  /** The table, as its name is written in messages. */
  readonly table: string;
  readonly tables: string;
  /** The row number, which rows are ordered by. */
  readonly key: string;
  readonly columns: readonly SqlColumn[];
  readonly maxValueBytes: number;
}

/** Rows that follow each other; `made` is `undefined` if they must be read with care. */
interface SqliteSlice<Made> {
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

interface TableRow {
  readonly type: string;
  readonly wr: number;
}

interface ColumnRow {
  readonly name: string;
  readonly pk: number;
}

function tableNames(database: DatabaseSync): string[] {
  const rows = database.prepare(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' " +
      "ORDER BY name",
  ).all();
  return rows.map(({ name }) => String(name));
}

function findTable(database: DatabaseSync, name: string): TableRow {
  const found = database.prepare(
    "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE",
  ).get(name) as unknown as TableRow | undefined;
  if (found !== undefined) return found;
  const known = tableNames(database).join(", ") || "none at all";
  throw new RangeError(`there is no table ${JSON.stringify(name)}, but ${known}`);
}

/** Names by which SQLite knows a row of any usual table. */
const rowNames = ["rowid", "_rowid_", "oid"];

function rowName(columns: readonly ColumnRow[]): string | undefined {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  return rowNames.find((name) => !taken.has(name));
}

function tableShape(database: DatabaseSync, table: string): SqlShape {
  const { type, wr } = findTable(database, table);
  const columns = database.prepare(
    "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid",
  ).all(table) as unknown as ColumnRow[];
  const toColumn = (name: string): SqlColumn => ({
    expression: `t.${quoteName(name)}`,
    title: name,
  });
  const primary = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  const row = type === "table" && wr === 0 ? rowName(columns) : undefined;
  return {
    prelude: "",
    tables: `main.${quoteName(table)} AS t`,
    columns: columns.map(({ name }) => toColumn(name)),
    key: row === undefined
      ? primary.map(({ name }) => toColumn(name))
      : [{ expression: `t.${row}`, title: row }],
    everything: "t.*",
  };
}

function queryShape(database: DatabaseSync, sql: string): SqlShape {
  const query = oneStatement(sql);
  const names = database.prepare(query).columns().map(({ name }) => name);
  if (names.length === 0) throw new RangeError("the query gives no columns");
  // Columns by their position: two may have one name.
  const places = names.map((_, index) => `c${index}`);
  return {
    // On lines of its own: a comment at its end must not swallow what follows.
    prelude: `WITH q(${places.join(", ")}) AS (\n${query}\n)`,
    tables: "q",
    columns: names.map((title, index) => ({ expression: `q.c${index}`, title })),
    key: [],
    everything: "q.*",
  };
}

/** Whether messages have a row number besides their id, as all tables but a few do. */
function messageKey(database: DatabaseSync): string | undefined {
  const { type, wr } = findTable(database, "messages");
  return type === "table" && wr === 0 ? "messages.rowid" : undefined;
}

/**
 * What a selection reads of an SQLite file.
 *
 * @throws {RangeError} If there is no such table, or the query is none.
 */
function sqliteShape(database: DatabaseSync, from: Selection["from"]): SqlShape {
  switch (from.kind) {
    case "conversations":
      return conversationShape(messageKey(database));
    case "table":
      return tableShape(database, from.name);
    case "query":
      return queryShape(database, from.sql);
    case "collection":
      throw new RangeError("SQLite has tables, not collections: use --table or --query");
  }
}

/** Whether SQLite has refused for a lock that another connection holds now. */
function isBusy(error: unknown): boolean {
  const { errcode, message } = (error ?? {}) as { errcode?: number; message?: string };
  if (errcode !== undefined) return (errcode & 0xff) === 5 || (errcode & 0xff) === 6;
  return /database (?:table |schema )?is locked/.test(message ?? "");
}

const pauseMs = 25;

/**
 * Calls `use` until no other connection's lock is in its way. Waiting leaves the event loop free, where SQLite's own
 * busy handler would hold the thread, Ctrl-C too.
 *
 * @throws {Error} If the lock is not gone after `timeoutMs`.
 * @throws The signal's reason, if it aborts.
 */
async function whenUnlocked<Result>(
  use: () => Result,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Result> {
  for (const startedAtMs = performance.now();;) {
    try {
      return use();
    } catch (cause) {
      if (!isBusy(cause)) throw cause;
      if (performance.now() - startedAtMs >= timeoutMs) {
        throw new Error(`it was locked for ${timeoutMs / 1000} s`, { cause });
      }
    }
    await wait(pauseMs);
    signal?.throwIfAborted();
  }
}

/** Below this a number of the first row is taken for seconds. */
const leastMs = 1e11;

const digits = (count: number) => "[0-9]".repeat(count);

/** How a text begins that says which day it means. */
const dated = `${digits(4)}-${digits(2)}-${digits(2)}*`;

/** Times as text, in the forms that SQLite itself reads; without an offset they are UTC. */
function textTime(expression: string, { field }: TimeSelection): SqlTime {
  // A number would be a Julian day, "now" another time each day, and "12:00" of the year 2000.
  const place = `CASE WHEN typeof(${expression}) = 'text' AND ${expression} GLOB '${dated}' ` +
    `THEN round(unixepoch(${expression}, 'subsec') * 1000) END`;
  return {
    field,
    expression,
    place,
    isIn: ({ from, to }: Span) => `(${place} >= ${from} AND ${place} < ${to})`,
    isUnplaced: `(${place}) IS NULL`,
    reasonOf: (value) =>
      value === null
        ? `${field} is NULL, so that it has no place in time`
        : `${field} is no time as text, such as 2026-01-31T08:30:00Z`,
    isIndexable: false,
  };
}

function findUnit(
  database: DatabaseSync,
  expression: string,
  prelude: string,
  tables: string,
): "ms" | "s" | "text" {
  const first = database.prepare(
    `${prelude} SELECT typeof(${expression}) AS type, ${expression} AS value FROM ${tables} ` +
      `WHERE ${expression} IS NOT NULL LIMIT 1`,
  ).get();
  if (first?.type === "text") return "text";
  const isNumber = first?.type === "integer" || first?.type === "real";
  return isNumber && Math.abs(Number(first.value)) < leastMs ? "s" : "ms";
}

/** How rows are placed by a column of times; their unit is inferred from one row unless it is given. */
function sqliteTime(
  database: DatabaseSync,
  expression: string,
  { prelude, tables }: { readonly prelude: string; readonly tables: string },
  time: TimeSelection,
): SqlTime {
  const unit = time.unit ?? findUnit(database, expression, prelude, tables);
  if (unit === "text") return textTime(expression, time);
  const isNoNumber = `${expression} >= '' OR ${expression} IN (9e999, -9e999)`;
  return numberTime(expression, time, unit, isNoNumber);
}

/** Columns whose peculiarities fit in one value: expressions have a depth that is bounded. */
const columnsPerFlag = 64;

/** What `sqliteValues` selects, and where it stands in a row. */
interface SqliteValues {
  readonly selected: readonly string[];
  /** Where the values that mark binary and too large ones begin. */
  readonly flagsAt: number;
}

/**
 * What to select so that values come whole in every runtime. One cuts texts at U+0000 and all let wrong UTF-8 pass for
 * U+FFFD, so a text that SQLite counts more or fewer characters than bytes of is fetched as its bytes. What is left
 * has one byte for each character; U+FFFD has three, so that where it is in such a text, the text was no UTF-8.
 *
 * A value that is too large is not fetched at all. For every 64 columns a value lists what is peculiar in them: a
 * letter for each, `b` for binary, `!` for too large; it is NULL if there is nothing.
 */
function sqliteValues(
  columns: readonly SqlColumn[],
  maxValueBytes: number,
  largeTextBytes: number,
): SqliteValues {
  // Numbers are before all texts, and blobs behind them: to compare is a fraction of the work of measuring, for which a
  // number would be made text.
  const isLong = (x: string) => `${x} >= '' COLLATE BINARY`;
  const usualBytes = Math.min(maxValueBytes, largeTextBytes - 1);
  const selected = columns.map(({ expression }) =>
    `CASE WHEN NOT (${isLong(expression)}) THEN ${expression} ` +
    `WHEN octet_length(${expression}) = length(${expression}) AND octet_length(${expression}) <= ${usualBytes} ` +
    `THEN ${expression} WHEN octet_length(${expression}) > ${maxValueBytes} THEN NULL ` +
    `WHEN typeof(${expression}) = 'text' AND (octet_length(${expression}) <> length(${expression}) ` +
    `OR octet_length(${expression}) >= ${largeTextBytes}) ` +
    `THEN CAST(${expression} AS BLOB) ELSE ${expression} END`
  );
  const flags: string[] = [];
  for (let start = 0; start < columns.length; start += columnsPerFlag) {
    const some = columns.slice(start, start + columnsPerFlag).map(({ expression }) => expression);
    const isPeculiar = some.map((one) =>
      `(${isLong(one)} AND (${one} >= x'' OR octet_length(${one}) > ${maxValueBytes}))`
    );
    const letters = some.map((one) =>
      `CASE WHEN octet_length(${one}) > ${maxValueBytes} THEN '!' ELSE substr(typeof(${one}), 1, 1) END`
    );
    flags.push(`CASE WHEN ${isPeculiar.join(" OR ")} THEN ${letters.join(" || ")} END`);
  }
  return { selected: [...selected, ...flags], flagsAt: selected.length };
}

/** How many columns one such value describes. */
const flagWidth = columnsPerFlag;

/** A key as it stands in a statement, and the values that are bound to it. */
interface SqliteKey {
  readonly literals: readonly string[];
  readonly values: readonly SQLInputValue[];
}

function readLiteral(literal: string): { literal: string; value: SQLInputValue } {
  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
  const text = /^\+CAST\(x'((?:[\dA-F]{2})*)' AS TEXT\)$/.exec(literal)?.[1];
  // Bound as its bytes: one runtime would cut a text at U+0000.
  if (text !== undefined) return { literal: "+CAST(? AS TEXT)", value: bytes(text) };
  const blob = /^x'((?:[\dA-F]{2})*)'$/.exec(literal)?.[1];
  if (blob !== undefined) return { literal: "?", value: bytes(blob) };
  if (/^-?\d{1,19}$/.test(literal)) {
    const value = BigInt(literal);
    if (BigInt.asIntN(64, value) === value) return { literal: "?", value };
  }
  if (/^-?(?:9e999|\d+\.\d+(?:e[+-]\d+)?)$/.test(literal)) {
    return { literal: "?", value: Number(literal) };
  }
  throw new RangeError(`its key is not one that an export has kept: ${literal.slice(0, 40)}`);
}

/**
 * Reads a key that is literals of `sqliteLiteral`, so that nothing of it is run.
 *
 * @throws {RangeError} If it is no such key.
 */
function sqliteKey(kept: readonly string[]): SqliteKey {
  const read = kept.map(readLiteral);
  return {
    literals: read.map(({ literal }) => literal),
    values: read.map(({ value }) => value),
  };
}

/** Reads texts as SQLite stores them; `undefined` for what is none. */
type ReadText = (bytes: Uint8Array) => string | TextBytes | undefined;

/** Reads texts of a database, whose encoding is what `PRAGMA encoding` says. */
function sqliteText(encoding: string): ReadText {
  if (encoding === "UTF-8") return TextBytes.read;
  const decoder = new TextDecoder(encoding === "UTF-16be" ? "utf-16be" : "utf-16le", {
    fatal: true,
    ignoreBOM: true,
  });
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  };
}

/** A literal of a value, the same in every runtime: a text would be cut at U+0000 by one. */
function sqliteLiteral(expression: string): string {
  return `CASE typeof(${expression}) WHEN 'integer' THEN CAST(${expression} AS TEXT) ` +
    // Without an affinity, which would be given to what it is compared with.
    `WHEN 'text' THEN '+CAST(x''' || hex(CAST(${expression} AS BLOB)) || ''' AS TEXT)' ` +
    `WHEN 'real' THEN CASE WHEN abs(${expression}) > 1.7976931348623157e308 ` +
    `THEN CASE WHEN ${expression} < 0 THEN '-9e999' ELSE '9e999' END ` +
    `ELSE printf('%!.17g', ${expression}) END ` +
    `ELSE 'x''' || hex(${expression}) || '''' END`;
}

/** Whether a table's keys stay as they are: row numbers that no column holds change when VACUUM runs. */
function hasLastingKey(database: DatabaseSync, table: string): boolean {
  const found = database.prepare(
    "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE",
  ).get(table);
  if (found?.type !== "table") return false;
  if (Number(found.wr) === 1) return true;
  const keys = database.prepare("SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0").all(table);
  // A primary key that is not the row number has an index of its own.
  const indexes = database.prepare("SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'");
  return keys.length === 1 && indexes.all(table).length === 0;
}

/**
 * Copies an SQLite file that is being read, so that it is not written: without a write-ahead log a reader locks out
 * writers for as long as it reads, and this one is not to.
 *
 * @returns Where the copy is, and the folder to be taken away with it.
 */
async function copyDatabase(path: string): Promise<{ path: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-extract-"));
  const copy = join(folder, "snapshot.sqlite");
  try {
    // Where the file system can, without copying a byte.
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    return { path: copy, folder };
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`cannot copy it to ${folder}: ${(cause as Error).message}`, { cause });
  }
}

/** Texts from here on stay bytes. */
const largeTextBytes = 1_048_576;

/** Values of a row that SQLite gives, unless it is built for fewer. */
const mostSelected = 2_000;

interface Plan {
  readonly shape: SqlShape;
  readonly columns: readonly SqlColumn[];
  readonly time: SqlTime | undefined;
  /** What the parts are cut by, where it is not the time. */
  readonly partKey: string | undefined;
  readonly order: string;
  /** What rows are known by for good, if they are ordered by nothing but it. */
  readonly lasting: readonly SqlColumn[];
  /** What is so of the rows after the one that reading goes on after, and what is bound to it. */
  readonly isAfter: string | undefined;
  readonly afterValues: readonly SQLInputValue[];
}

function planRead(database: DatabaseSync, selection: Selection): Plan {
  const shape = sqliteShape(database, selection.from);
  const known = shape.columns.map(({ title }) => title);
  const columns = chooseFields(selection.fields, known)
    .map(({ index, title }) => ({ ...shape.columns[index]!, title }));
  const expressionOf = (path: string) => shape.columns[findColumn(path, known)]!.expression;
  const { time: timed, from, orderBy } = selection;
  const time = timed === undefined ? undefined : sqliteTime(
    database,
    from.kind === "conversations" ? messageTime : expressionOf(timed.field),
    shape,
    timed,
  );
  const isRowKey = shape.key.length === 1 && from.kind === "table";
  const key = shape.key.map(({ expression }) => expression);
  const order =
    orderBy?.map(({ path, isDescending }) =>
      `${expressionOf(path)}${isDescending ? " DESC" : ""}`
    ) ?? (time === undefined ? [] : [time.isIndexable ? time.expression : time.place]);
  const isLasting = from.kind === "table" && time === undefined && orderBy === undefined &&
    hasLastingKey(database, from.name);
  const after = selection.after && sqliteKey(selection.after);
  return {
    ...{ shape, columns, time },
    lasting: isLasting ? shape.key : [],
    isAfter: after && isAfterKey(shape.key, after.literals),
    afterValues: after?.values ?? [],
    partKey: time === undefined && orderBy === undefined && isRowKey ? key[0] : undefined,
    order: order.length + key.length === 0 ? "" : `ORDER BY ${[...order, ...key].join(", ")}`,
  };
}

class SqliteSource implements RowSource {
  readonly name: string;
  readonly titles: readonly string[];
  readonly key: readonly string[];
  readonly span: Span | undefined;
  readonly notCut?: string;
  readonly shared: RowSource["shared"];
  readonly #database: DatabaseSync;
  readonly #plan: Plan;
  readonly #values: SqliteValues;
  readonly #readText: ReadText;
  readonly #isSorted: boolean;
  readonly #isResumable: boolean;
  /** What reads most rows by a shorter way, where it can. */
  readonly #slices: SqliteSlices | undefined;
  readonly #cursors = new Set<Generator<unknown, void>>();
  #isClosed = false;

  constructor(name: string, database: DatabaseSync, selection: Selection, isCopy: boolean) {
    this.name = name;
    this.#database = database;
    const plan = this.#plan = planRead(database, selection);
    this.titles = plan.columns.map(({ title }) => title);
    this.key = plan.lasting.map(({ title }) => title);
    this.#isResumable = selection.isResumable === true;
    this.#values = sqliteValues(plan.columns, selection.maxValueBytes, largeTextBytes);
    this.#readText = sqliteText(String(this.#pragma("encoding")));
    this.#checkWidth();
    this.#isSorted = this.#mustSort();
    this.span = this.#findSpan(selection);
    const { from, maxValueBytes } = selection;
    const encoding = this.#pragma("encoding");
    const isSliced = from.kind === "table" && plan.partKey !== undefined &&
      this.span !== undefined && !this.#isResumable && encoding === "UTF-8";
    this.#slices = isSliced
      ? SqliteSlices.open(database, {
        ...{ table: from.name, tables: plan.shape.tables, key: plan.partKey!, maxValueBytes },
        columns: plan.columns,
      })
      : undefined;
    if (this.span === undefined) {
      this.notCut = selection.orderBy !== undefined
        ? "parts follow each other by time or row number, not as --order-by says"
        : selection.from.kind === "query"
        ? "a query has no key that is known"
        : "it has no row numbers: give a --time-field";
    }
    // Nothing can write while this one reads, unless there is a write-ahead log: threads see the same.
    const isShareable = !isCopy && !this.#isResumable && this.#pragma("journal_mode") !== "wal" &&
      !this.#isSorted;
    this.shared = isShareable ? { address: name, selection } : undefined;
  }

  get openCursors(): number {
    return this.#cursors.size;
  }

  warnings(): Promise<string[]> {
    const { time, order } = this.#plan;
    if (!this.#isSorted || time === undefined) return Promise.resolve([]);
    const { tables } = this.#plan.shape;
    const table = tables.split(" ")[0]!.replace(/^main\./, "");
    const column = time.expression.replace(/^(?:messages|t|q)\./, "").replaceAll('"', "");
    const remedy = !time.isIndexable
      ? "numbers of milliseconds would not need it"
      : tables === "q"
      ? `the query does not give them ${order.toLowerCase()}`
      : `CREATE INDEX ${table.replaceAll('"', "")}_${column} ON ${table} (${column});`;
    return Promise.resolve([
      `no index on ${time.field} can be used, so all rows are sorted for each part: ${remedy}`,
    ]);
  }

  async reportUnplaced(
    { onRow, onBadRow, signal }: Parameters<RowSource["reportUnplaced"]>[0],
  ): Promise<void> {
    const { time, shape } = this.#plan;
    if (time === undefined) return;
    const keys = shape.key.length > 0 ? shape.key : shape.columns.slice(0, 1);
    const statement = this.#database.prepare(
      `${shape.prelude} SELECT ${
        [time.expression, ...keys.map((key) => key.expression)].join(", ")
      } ` +
        `FROM ${shape.tables} WHERE ${time.isUnplaced}`,
    );
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    let count = 0;
    for (const next of statement.iterate()) {
      const [value, ...key] = next as unknown as Value[];
      onRow();
      onBadRow(new BadRowError(nameRow(keys, key), time.reasonOf(value)));
      if (++count % 1_000 === 0) await turn();
      signal?.throwIfAborted();
    }
  }

  readLines(format: FormatOptions, options: LineOptions): Iterable<Piece> | undefined {
    if (this.#slices === undefined || !options.projection) return undefined;
    return this.#readSlices(this.#slices, format, options);
  }

  *#readSlices(
    read: SqliteSlices,
    formatOptions: FormatOptions,
    options: LineOptions,
  ): Generator<Piece, void> {
    const checkOpen = () => {
      if (this.#isClosed) throw new Error(`${this.name} is closed`);
    };
    checkOpen();
    const lines = new JsonLines(formatOptions);
    const format = createFormat(formatOptions);
    const slices = read.slices(options.part ?? this.span!, (rows) => lines.make(rows));
    this.#cursors.add(slices);
    try {
      for (const { part, made } of slices) {
        if (made === undefined) {
          const batches = this.read({ ...options, part, isFirst: false });
          yield* makeEach(batches, (batch) => toPiece(format, batch));
        } else {
          const { bytes: text, rows, release } = made;
          for (let count = 0; count < rows; count++) options.onRow();
          yield { text, rows, at: part.to - 1, release };
        }
        checkOpen();
      }
      checkOpen();
    } finally {
      this.#cursors.delete(slices);
    }
  }

  *read(options: CursorOptions): Generator<RowBatch, void> {
    if (this.#isClosed) throw new Error(`${this.name} is closed`);
    const { onRow, onBadRow } = options;
    const { columns, shape: { key } } = this.#plan;
    const { flagsAt, selected } = this.#values;
    const keyAt = selected.length;
    const literalsAt = keyAt + key.length;
    const placeAt = literalsAt + (this.#isResumable ? key.length : 0);
    const batches = new BatchBuilder(Math.min(options.batchSize, mostRows));
    const cursor = this.#steps(options);
    this.#cursors.add(cursor);
    try {
      for (const values of cursor) {
        onRow();
        try {
          this.#checkRow(values, flagsAt, keyAt);
        } catch (error) {
          if (!(error instanceof BadRowError)) throw error;
          onBadRow(error);
          continue;
        }
        for (let index = 0; index < columns.length; index++) {
          const { convert } = columns[index]!;
          if (convert !== undefined) values[index] = convert(values[index]);
        }
        const at = values[placeAt];
        const last = this.#isResumable
          ? values.slice(literalsAt, placeAt) as readonly string[]
          : undefined;
        yield* batches.add(values, at === undefined ? undefined : Number(at), last);
        // A database closed under a cursor looks like its end to one runtime: that is no end of ours.
        if (this.#isClosed) throw new Error(`${this.name} was closed`);
      }
      yield* batches.rest();
    } finally {
      this.#cursors.delete(cursor);
    }
  }

  /** Makes texts of those that came as bytes. */
  #checkRow(values: Value[], flagsAt: number, keyAt: number): void {
    const { columns, shape } = this.#plan;
    for (let index = 0; index < columns.length; index++) {
      const value = values[index];
      const isPart = typeof value === "string"
        ? value.includes("\ufffd")
        : value instanceof Uint8Array;
      if (!isPart && value !== null) continue;
      const flags = values[flagsAt + Math.floor(index / flagWidth)];
      const flag = typeof flags === "string" ? flags[index % flagWidth] : undefined;
      const fail = (reason: string) => {
        const named = shape.key.length > 0
          ? nameRow(shape.key, values.slice(keyAt))
          : nameRow(columns, values.slice(0, 1));
        throw new BadRowError(named, `${columns[index]!.title} ${reason}`);
      };
      if (flag === "!") fail("is larger than --max-value");
      if (value === null || flag === "b") continue;
      const text = value instanceof Uint8Array ? this.#readText(value) : undefined;
      if (text === undefined) fail("is text that is not valid");
      values[index] = text;
    }
  }

  *#steps({ part, projection }: CursorOptions): Generator<Value[], void> {
    const statement = this.#database.prepare(this.#select(part, projection));
    // Arrays are a fraction of the work and memory that objects with 20 keys are.
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const cursor = statement.iterate(...this.#plan.afterValues);
    try {
      for (let next = cursor.next(); !next.done; next = cursor.next()) {
        yield next.value as unknown as Value[];
      }
    } finally {
      cursor.return?.();
    }
  }

  #select(part: Span | undefined, projection: boolean): string {
    const { shape, time, partKey, order, isAfter } = this.#plan;
    const place = time?.place ?? partKey;
    const selected = [
      ...this.#values.selected,
      ...shape.key.map(({ expression }) => expression),
      ...(this.#isResumable ? shape.key.map(({ expression }) => sqliteLiteral(expression)) : []),
      ...(place === undefined ? [] : [place]),
      ...(projection ? [] : [shape.everything]),
    ];
    const range = part ?? (time === undefined ? undefined : this.span);
    const conditions = [
      ...(isAfter === undefined ? [] : [isAfter]),
      ...(range === undefined || place === undefined ? [] : [
        time?.isIn(range) ?? `(${partKey} >= ${range.from} AND ${partKey} < ${range.to})`,
      ]),
    ];
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    return `${shape.prelude} SELECT ${selected.join(", ")} FROM ${shape.tables} ${where} ${order}`;
  }

  /** Throws if SQLite cannot give as many values at once, with those that tell what the others are. */
  #checkWidth(): void {
    const { shape, time, partKey } = this.#plan;
    const isPlaced = time !== undefined || partKey !== undefined;
    const others = shape.key.length * (this.#isResumable ? 2 : 1) + (isPlaced ? 1 : 0);
    if (this.#values.selected.length + others <= mostSelected) return;
    const most = Math.floor((mostSelected - others) * flagWidth / (flagWidth + 1));
    throw new RangeError(
      `it has ${this.titles.length} columns, more than can be read at a time: ` +
        `choose ${most} of them at most with --fields`,
    );
  }

  #mustSort(): boolean {
    const query = this.#select({ from: 0, to: 1 }, true);
    const plan = this.#database.prepare(`EXPLAIN QUERY PLAN ${query}`).all();
    // Of the last terms of an order alone, those of the same time are sorted: they are few.
    return plan.some(({ detail }) => /TEMP B-TREE FOR ORDER BY/.test(String(detail)));
  }

  #findSpan({ time }: Selection): Span | undefined {
    if (time !== undefined) return { from: time.period.fromMs, to: time.period.toMs };
    const { partKey, shape, isAfter, afterValues } = this.#plan;
    if (partKey === undefined) return undefined;
    const ends = this.#database.prepare(
      `SELECT min(${partKey}) AS least, (SELECT max(${partKey}) FROM ${shape.tables}) AS most ` +
        `FROM ${shape.tables}${isAfter === undefined ? "" : ` WHERE ${isAfter}`}`,
    );
    ends.setReadBigInts(true);
    const { least, most } = ends.get(...afterValues) as { least: Value; most: Value };
    // A key that is no row number may be missing, and then has no place in any span.
    const missing = `SELECT 1 FROM ${shape.tables} WHERE ${partKey} IS NULL LIMIT 1`;
    if (this.#database.prepare(missing).get() !== undefined) return undefined;
    if (typeof least !== "bigint" || typeof most !== "bigint") return undefined;
    const span = { from: Number(least), to: Number(most) + 1 };
    return Number.isSafeInteger(span.from) && Number.isSafeInteger(span.to) ? span : undefined;
  }

  #pragma(name: string): unknown {
    return Object.values(this.#database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    for (const cursor of this.#cursors) cursor.return();
    this.#cursors.clear();
    this.#database.close();
    return Promise.resolve();
  }
}

/** Opens a file to be read, and begins what sees it as it is now until it is closed. */
async function openReading(
  path: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<DatabaseSync> {
  const database = await whenUnlocked(
    () => new DatabaseSync(path, { readOnly: true }),
    timeoutMs,
    signal,
  );
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN");
    await whenUnlocked(
      () => database.prepare("SELECT count(*) FROM sqlite_schema").get(),
      timeoutMs,
      signal,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens an SQLite file. All of its cursors see the file as it is when it is opened, however long reading takes.
 *
 * @throws {Error} If there is no such file, it holds something else, or it stays locked.
 */
export async function openSqlite(
  path: string,
  selection: Selection,
  signal?: AbortSignal,
): Promise<RowSource> {
  const name = `sqlite:${path}`;
  // An absolute path: SQLite would take one that begins with "file:" for an address with options.
  const file = resolve(path);
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined) throw new Error(`Cannot open ${name}: no such file`);
  if (!stats.isFile()) throw new Error(`Cannot open ${name}: it is not a regular file`);
  let database: DatabaseSync | undefined;
  try {
    database = await openReading(file, selection.timeoutMs, signal);
    const mode = database.prepare("PRAGMA journal_mode").get()?.journal_mode;
    const isCopy = selection.isOutputSlow === true && mode !== "wal";
    if (isCopy) {
      const copy = await copyDatabase(file);
      database.close();
      database = await openReading(copy.path, selection.timeoutMs, signal);
      // It stays until it is closed; nothing is left behind, however this process ends.
      await rm(copy.folder, { recursive: true, force: true }).catch(() => {});
    }
    return new SqliteSource(name, database, selection, isCopy);
  } catch (cause) {
    database?.close();
    if (signal?.aborted) throw signal.reason;
    throw new Error(`Cannot open ${name}: ${(cause as Error).message}`, { cause });
  }
}
