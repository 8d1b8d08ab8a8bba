import { constants, copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { BadRowError, nameRow } from "../bad_row_error.ts";
import { BatchBuilder } from "../batch_builder.ts";
import { findColumn } from "../choose_fields.ts";
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
import { conversationShape } from "./conversation_shape.ts";
import {
  guessUnit,
  numberTime,
  oneStatement,
  planSql,
  queryShape,
  quoteName,
  type SqlColumn,
  type SqlShape,
  type SqlTime,
  tableColumn,
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

const [isHidden, isVirtual] = [1, 2];

/** What SQLite says of a table. */
interface TableInfo {
  readonly isTable: boolean;
  /** Whether its rows have numbers. */
  readonly isNumbered: boolean;
  readonly columns: readonly ColumnRow[];
  /** Its primary key, if that is one column. */
  readonly onlyKey: ColumnRow | undefined;
  /** Whether the primary key has an index of its own, as all have that are not the row number. */
  readonly hasKeyIndex: boolean;
}

function describeTable(database: DatabaseSync, name: string): TableInfo {
  const all = (sql: string, ...values: string[]) =>
    database.prepare(sql).all(...values) as unknown[];
  const [found] = all(
    "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE",
    name,
  ) as { type: string; wr: number }[];
  if (found === undefined) {
    const known = all(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' " +
        "ORDER BY name",
    ) as ColumnRow[];
    const names = known.map(({ name }) => name).join(", ") || "none at all";
    throw new RangeError(`there is no table ${JSON.stringify(name)}, but ${names}`);
  }
  const columns = all(
    "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid",
    name,
  ) as ColumnRow[];
  const keys = columns.filter(({ pk }) => pk > 0);
  const isTable = found.type === "table";
  return {
    ...{ isTable, isNumbered: isTable && found.wr === 0, columns },
    onlyKey: keys.length === 1 ? keys[0] : undefined,
    hasKeyIndex: all("SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk'", name).length > 0,
  };
}

/** The affinity of each column of a table with row numbers, by the expression that reads it. */
function sqliteAffinities(
  { columns, onlyKey, hasKeyIndex }: TableInfo,
): ReadonlyMap<string, SqliteAffinity> {
  return new Map(columns.map((column) => {
    const { name, type, hidden } = column;
    // `INTEGER PRIMARY KEY DESC` is another column; so its key has an index of its own.
    const isRow = column === onlyKey && !hasKeyIndex && type.toUpperCase() === "INTEGER";
    const affinity = isRow ? "row" : hidden === isVirtual ? "virtual" : sqliteAffinity(type);
    return [tableColumn(name).expression, affinity];
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

/** Gives the slices of a part with what `make` makes of their rows: nothing, if among them is what is odd. */
type SqliteSlices = <Made extends { readonly rows: number }>(
  part: Span,
  make: (rows: JsonRows) => Made | undefined,
) => Generator<SqliteSlice<Made>, void>;

/** What is so of a value that is large, or no such thing as its column is for. */
function odditiesOf(x: string, affinity: SqliteAffinity, mostBytes: number): readonly string[] {
  // Row numbers are in the span, which a number can hold.
  if (affinity === "row") return [];
  if (affinity === "text" || affinity === "blob") {
    return [`octet_length(${x}) > ${mostBytes}`, `${x} >= x''`];
  }
  // Texts and bytes are after all numbers.
  const isNoNumber = `${x} >= ''`;
  return affinity === "numeric"
    ? [isNoNumber, `${x} > ${mostNumber}`, `${x} < -${mostNumber}`]
    : [isNoNumber];
}

/**
 * Prepares to read a table in slices of its row numbers, each as one JSON that SQLite makes: a value by itself costs
 * many times as much on its way into a runtime. JSON of SQLite's has no more than 15 digits of a number that is no
 * integer, so columns of such numbers are read apart. A row with a value that is large, or that is no such thing as its
 * column is for, makes its slice one that must be read with care.
 *
 * @returns `undefined` if the table has no row numbers, or too many columns, or computed ones.
 */
export function sqliteSlices(
  database: DatabaseSync,
  { table, tables, key, columns, maxValueBytes }: SqliteSlicesOptions,
): SqliteSlices | undefined {
  if (columns.length > mostColumns) return;
  const affinities = sqliteAffinities(describeTable(database, table));
  const most = Math.min(largeBytes, maxValueBytes);
  const rows = Math.max(1, Math.min(mostRows, Math.floor(mostValues / columns.length)));
  const known = columns.map(({ expression }) => {
    const affinity = affinities.get(expression) ?? "blob";
    const isOdd = odditiesOf(expression, affinity, most).join(" OR ");
    return { expression, affinity, isOdd, isApart: /^(?:real|numeric)$/.test(affinity) };
  });
  // JSON that is computed would stand in JSON as it is, and no longer as text.
  if (known.some(({ affinity }) => affinity === "virtual")) return;
  const isApart = known.map(({ isApart }) => isApart);
  const inPart = `FROM ${tables} WHERE ${key} >= ? AND ${key} < ?`;
  const isOdd = known.map(({ isOdd }) => isOdd).filter(Boolean).join(" OR ") || "0";
  const selected = known.filter(({ isApart }) => !isApart).map(({ expression }) => expression);
  // What a runtime could not take is not given to it.
  const apart = known.filter(({ isApart }) => isApart)
    .map(({ expression, isOdd }) => `CASE WHEN ${isOdd} THEN NULL ELSE ${expression} END`);
  const next = database.prepare(`SELECT ${key} AS next ${inPart} ORDER BY ${key} LIMIT 1 OFFSET ?`);
  const row = `CASE WHEN ${isOdd} THEN NULL ELSE json_array(${selected.join(", ")}) END`;
  const query = `SELECT CAST(json_group_array(${row}) AS BLOB) AS json ${inPart}`;
  const read = database.prepare(query);
  // What is found by row number comes in that order, and by no other index; to ask for it would be to sort.
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${query}`).all(0, 1);
  const isInOrder = plan.length === 1 &&
    /^SEARCH t USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/.test(String(plan[0]!.detail));
  if (!isInOrder) return;
  const readApart = apart.length === 0
    ? undefined
    : database.prepare(`SELECT ${apart.join(", ")} ${inPart} ORDER BY ${key}`);
  readApart?.setReturnArrays(true);
  const partFrom = (from: number, to: number, count: number): Span => {
    const found = next.get(from, to, count);
    return { from, to: found === undefined ? to : Number(found.next) };
  };
  return function* <Made extends { readonly rows: number }>(
    { from, to }: Span,
    make: (rows: JsonRows) => Made | undefined,
  ): Generator<SqliteSlice<Made>, void> {
    // What is odd is seldom alone: more is then taken for it, and looked at less often.
    let oddSlices = 0;
    // Where no row number is missing, there is no need to look where the next slice begins.
    let isDense = false;
    while (from < to) {
      if (oddSlices > 0) {
        const part = partFrom(from, to, rows * 2 ** Math.min(oddSlices, 7));
        yield { part, made: undefined };
        from = part.to;
        if (from >= to) return;
      }
      const part: Span = isDense
        ? { from, to: Math.min(to, from + rows) }
        : partFrom(from, to, rows);
      const { json } = read.get(part.from, part.to) as { json: Uint8Array };
      // What is no UTF-8 is no text.
      const made: Made | undefined = isUtf8(json)
        ? make({
          ...{ json, mostRows: rows, isApart },
          apart: readApart?.all(part.from, part.to) as unknown as Value[][] ?? [],
        })
        : undefined;
      oddSlices = made === undefined ? oddSlices + 1 : 0;
      isDense = made?.rows === part.to - part.from;
      yield { part, made };
      from = part.to;
    }
  };
}

/** Names by which SQLite knows a row of any usual table. */
const rowNames = ["rowid", "_rowid_", "oid"];

function tableShape({ columns: all, isNumbered }: TableInfo, table: string): SqlShape {
  const columns = all.filter(({ hidden }) => hidden !== isHidden);
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  const row = isNumbered ? rowNames.find((name) => !taken.has(name)) : undefined;
  return {
    tables: `main.${quoteName(table)} AS t`,
    columns: columns.map(({ name }) => tableColumn(name)),
    key: row === undefined
      ? columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
        .map(({ name }) => tableColumn(name))
      : [{ expression: `t.${row}`, title: row }],
    everything: "t.*",
  };
}

/**
 * What a selection reads of an SQLite file, and whether the key of that stays as it is: row numbers that no column holds
 * change when VACUUM runs.
 *
 * @throws {RangeError} If there is no such table, or the query is none.
 */
function sqliteShape(
  database: DatabaseSync,
  from: Selection["from"],
): { readonly shape: SqlShape; readonly isLasting: boolean } {
  switch (from.kind) {
    case "conversations": {
      const { isNumbered } = describeTable(database, "messages");
      return {
        shape: conversationShape(isNumbered ? "messages.rowid" : undefined),
        isLasting: false,
      };
    }
    case "table": {
      const table = describeTable(database, from.name);
      const { isTable, isNumbered, onlyKey, hasKeyIndex } = table;
      const isRowHeld = onlyKey !== undefined && !hasKeyIndex;
      return {
        shape: tableShape(table, from.name),
        isLasting: isTable && (!isNumbered || isRowHeld),
      };
    }
    case "query": {
      const query = oneStatement(from.sql);
      const names = database.prepare(query).columns().map(({ name }) => name);
      return {
        // On lines of its own: a comment at its end must not swallow what follows.
        shape: queryShape(names, (q) => ({ prelude: `WITH ${q} AS (\n${query}\n)`, tables: "q" })),
        isLasting: false,
      };
    }
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

/** How rows are placed by a column of times; their unit is inferred from one row unless it is given. */
function sqliteTime(
  database: DatabaseSync,
  { prelude = "", tables, columns }: SqlShape,
  time: TimeSelection,
): SqlTime {
  const { expression } = columns[findColumn(time.field, columns.map(({ title }) => title))]!;
  let { unit } = time;
  if (unit === undefined) {
    const first = database.prepare(
      `${prelude} SELECT typeof(${expression}) AS type, ${expression} AS value FROM ${tables} ` +
        `WHERE ${expression} IS NOT NULL LIMIT 1`,
    ).get();
    const isNumber = first?.type === "integer" || first?.type === "real";
    unit = first?.type === "text" ? "text" : guessUnit(isNumber ? Number(first.value) : undefined);
  }
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

/**
 * How a part of a key stands in a statement that is a literal of `sqliteLiteral`, and the value that is bound to it, so
 * that nothing of it is run.
 *
 * @throws {RangeError} If it is none.
 */
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

function sqliteSource(
  name: string,
  database: DatabaseSync,
  selection: Selection,
  isCopy: boolean,
): RowSource {
  const { from, maxValueBytes, time: timed, isResumable = false, after = [] } = selection;
  const { shape, isLasting } = sqliteShape(database, from);
  const time = timed && sqliteTime(database, shape, timed);
  const plan = planSql(shape, selection, {
    ...{ time, isLasting, isPartKey: () => from.kind === "table" },
    literalOf: (kept) => readLiteral(kept).literal,
  });
  const { columns, partKey, place, names, isAfter } = plan;
  const { key, prelude = "" } = shape;
  const afterValues = after.map((kept) => readLiteral(kept).value);
  const { selected, flagsAt } = sqliteValues(columns, maxValueBytes, largeTextBytes);
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  const encoding = String(pragma("encoding"));
  const readText = sqliteText(encoding);
  const keyAt = selected.length;
  const literalsAt = keyAt + key.length;
  const placeAt = literalsAt + (isResumable ? key.length : 0);
  const cursors = new Set<Generator<unknown, void>>();
  let isClosed = false;

  const others = placeAt - keyAt + (place === undefined ? 0 : 1);
  if (selected.length + others > mostSelected) {
    const most = Math.floor((mostSelected - others) * columnsPerFlag / (columnsPerFlag + 1));
    throw new RangeError(
      `it has ${columns.length} columns, more than can be read at a time: ` +
        `choose ${most} of them at most with --fields`,
    );
  }

  function select(part: Span | undefined, projection: boolean): string {
    const all = [
      ...selected,
      ...key.map(({ expression }) => expression),
      ...(isResumable ? key.map(({ expression }) => sqliteLiteral(expression)) : []),
      ...(place === undefined ? [] : [place]),
      ...(projection ? [] : [shape.everything]),
    ];
    return `${prelude} SELECT ${all.join(", ")} ${plan.fromWhere(part)}`;
  }

  function findSpan(): Span | undefined {
    if (partKey === undefined) return plan.period;
    const { tables } = shape;
    const ends = database.prepare(
      `SELECT min(${partKey}) AS least, (SELECT max(${partKey}) FROM ${tables}) AS most ` +
        `FROM ${tables}${isAfter === undefined ? "" : ` WHERE ${isAfter}`}`,
    );
    ends.setReadBigInts(true);
    const { least, most } = ends.get(...afterValues) as { least: Value; most: Value };
    // A key that is no row number may be missing, and then has no place in any span.
    const missing = `SELECT 1 FROM ${tables} WHERE ${partKey} IS NULL LIMIT 1`;
    if (database.prepare(missing).get() !== undefined) return undefined;
    if (typeof least !== "bigint" || typeof most !== "bigint") return undefined;
    const span = { from: Number(least), to: Number(most) + 1 };
    return Number.isSafeInteger(span.from) && Number.isSafeInteger(span.to) ? span : undefined;
  }

  const explained = database.prepare(`EXPLAIN QUERY PLAN ${select({ from: 0, to: 1 }, true)}`)
    .all();
  // Of the last terms of an order alone, those of the same time are sorted: they are few.
  const isSorted = explained.some(({ detail }) => /TEMP B-TREE FOR ORDER BY/.test(String(detail)));
  const span = findSpan();
  const isSliced = from.kind === "table" && partKey !== undefined && span !== undefined &&
    !isResumable && encoding === "UTF-8";
  /** What reads most rows by a shorter way, where it can. */
  const slices = isSliced
    ? sqliteSlices(database, {
      ...{ table: from.name, tables: shape.tables, key: partKey, columns, maxValueBytes },
    })
    : undefined;
  // Nothing can write while this one reads, unless there is a write-ahead log: threads see the same.
  const isShareable = !isCopy && !isResumable && pragma("journal_mode") !== "wal" && !isSorted;

  function checkOpen(): void {
    if (isClosed) throw new Error(`${name} is closed`);
  }

  /** Makes texts of those that came as bytes. */
  function checkRow(values: Value[]): void {
    for (let index = 0; index < columns.length; index++) {
      const value = values[index];
      const isPart = typeof value === "string"
        ? value.includes("\ufffd")
        : value instanceof Uint8Array;
      if (!isPart && value !== null) continue;
      const flags = values[flagsAt + Math.floor(index / columnsPerFlag)];
      const flag = typeof flags === "string" ? flags[index % columnsPerFlag] : undefined;
      const fail = (reason: string) => {
        const shown = key.length > 0 ? values.slice(keyAt) : values;
        throw new BadRowError(
          nameRow(key.length > 0 ? names : columns.slice(0, 1), shown),
          `${columns[index]!.title} ${reason}`,
        );
      };
      if (flag === "!") fail("is larger than --max-value");
      if (value === null || flag === "b") continue;
      const text = value instanceof Uint8Array ? readText(value) : undefined;
      if (text === undefined) fail("is text that is not valid");
      values[index] = text;
    }
  }

  function* steps({ part, projection }: CursorOptions): Generator<Value[], void> {
    const statement = database.prepare(select(part, projection));
    // Arrays are a fraction of the work and memory that objects with 20 keys are.
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const cursor = statement.iterate(...afterValues);
    try {
      for (let next = cursor.next(); !next.done; next = cursor.next()) {
        yield next.value as unknown as Value[];
      }
    } finally {
      cursor.return?.();
    }
  }

  function* read(options: CursorOptions): Generator<RowBatch, void> {
    checkOpen();
    const batches = new BatchBuilder(Math.min(options.batchSize, mostRows));
    const cursor = steps(options);
    cursors.add(cursor);
    try {
      for (const values of cursor) {
        options.onRow();
        try {
          checkRow(values);
        } catch (error) {
          if (!(error instanceof BadRowError)) throw error;
          options.onBadRow(error);
          continue;
        }
        for (let index = 0; index < columns.length; index++) {
          const { convert } = columns[index]!;
          if (convert !== undefined) values[index] = convert(values[index]);
        }
        const at = values[placeAt];
        const last = isResumable
          ? values.slice(literalsAt, placeAt) as readonly string[]
          : undefined;
        yield* batches.add(values, at === undefined ? undefined : Number(at), last);
        // A database closed under a cursor looks like its end to one runtime: that is no end of ours.
        checkOpen();
      }
      yield* batches.rest();
    } finally {
      cursors.delete(cursor);
    }
  }

  function* readSlices(
    slices: SqliteSlices,
    formatOptions: FormatOptions,
    options: LineOptions,
  ): Generator<Piece, void> {
    checkOpen();
    const lines = new JsonLines(formatOptions);
    const format = createFormat(formatOptions);
    const cursor = slices(options.part ?? span!, (rows) => lines.make(rows));
    cursors.add(cursor);
    try {
      for (const { part, made } of cursor) {
        if (made === undefined) {
          const batches = read({ ...options, part, isFirst: false });
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
      cursors.delete(cursor);
    }
  }

  return {
    ...{ name, span, read },
    titles: columns.map(({ title }) => title),
    key: plan.lasting.map(({ title }) => title),
    notCut: plan.notCut("it has no row numbers: give a --time-field"),
    shared: isShareable ? { address: name, selection } : undefined,
    get openCursors() {
      return cursors.size;
    },
    warnings() {
      if (!isSorted || time === undefined) return Promise.resolve([]);
      const table = shape.tables.split(" ")[0]!.replace(/^main\./, "");
      const column = time.expression.replace(/^(?:messages|t|q)\./, "").replaceAll('"', "");
      const remedy = !time.isIndexable
        ? "numbers of milliseconds would not need it"
        : table === "q"
        ? `the query does not give them order by ${time.expression.toLowerCase()}`
        : `CREATE INDEX ${table.replaceAll('"', "")}_${column} ON ${table} (${column});`;
      return Promise.resolve([
        `no index on ${time.field} can be used, so all rows are sorted for each part: ${remedy}`,
      ]);
    },
    async reportUnplaced({ onRow, onBadRow, signal }) {
      if (plan.unplaced === undefined) return;
      const statement = database.prepare(plan.unplaced);
      statement.setReturnArrays(true);
      statement.setReadBigInts(true);
      let count = 0;
      for (const next of statement.iterate()) {
        const [value, ...key] = next as unknown as Value[];
        onRow();
        onBadRow(plan.unplacedRow(value, key));
        if (++count % 1_000 === 0) await turn();
        signal?.throwIfAborted();
      }
    },
    readLines: (format, options) =>
      slices && options.projection ? readSlices(slices, format, options) : undefined,
    close() {
      if (isClosed) return Promise.resolve();
      isClosed = true;
      for (const cursor of cursors) cursor.return();
      cursors.clear();
      database.close();
      return Promise.resolve();
    },
  };
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
    return sqliteSource(name, database, selection, isCopy);
  } catch (cause) {
    database?.close();
    if (signal?.aborted) throw signal.reason;
    throw new Error(`Cannot open ${name}: ${(cause as Error).message}`, { cause });
  }
}
