import type { Sql } from "postgres";
import { BadRowError, nameRow } from "../bad_row_error.ts";
import { BatchBuilder } from "../batch_builder.ts";
import { findColumn } from "../choose_fields.ts";
import { limitWaits } from "../limit_waits.ts";
import type {
  CursorOptions,
  LineOptions,
  Piece,
  Row,
  RowBatch,
  RowSource,
  Selection,
  Span,
  TimeSelection,
} from "../source.ts";
import type { FormatOptions } from "../formats/format_options.ts";
import { JsonText, type Value } from "../value.ts";
import { conversationShape } from "./conversation_shape.ts";
import { readAddress } from "../../secrets/read_address.ts";
import { hideSecrets } from "../../secrets/hide_secrets.ts";
import {
  guessUnit,
  numberTime,
  oneStatement,
  planSql,
  queryShape,
  quoteText,
  type SqlColumn,
  type SqlPlan,
  type SqlShape,
  type SqlTime,
  tableColumn,
} from "./sql_shape.ts";
import { CopiedRows } from "./copied_rows.ts";
import {
  type OpenSession,
  type PostgresSession,
  postgresSessions,
  tableNames,
} from "./postgres_session.ts";
import {
  castOf,
  fixedTypes,
  longTypes,
  mostFixedBytes,
  mostNumericBytes,
  numberTypes,
  postgresTypes as t,
  postgresValue,
} from "./postgres_value.ts";
import { Buffer } from "node:buffer";
import { copyChanges, type CopyMarks } from "./copy_values.ts";
import { createFormat } from "../formats/create_format.ts";
import { fieldPrefixes } from "../formats/dialect.ts";

const lastCode = 127;

/**
 * What becomes of each byte of what `write` writes, found out by asking it: itself (0), a letter after a backslash,
 * `\u00` and two digits (`u`), or another character alone.
 */
function textEscapes(write: (text: string) => string): Uint8Array {
  const escapes = new Uint8Array(256);
  const start = write("aa").indexOf("aa") + 1;
  for (let code = 0; code <= lastCode; code++) {
    const one = String.fromCharCode(code);
    const made = write(`a${one}a`).slice(start, -start);
    if (made !== one) escapes[code] = made.charCodeAt(made[0] === "\\" ? 1 : 0);
  }
  return escapes;
}

/** How the server writes the lines of a format. */
interface PostgresCopy {
  /** What stands for each column, or for all of them. */
  readonly fields: readonly string[];
  readonly options: string;
  readonly marks: CopyMarks;
}

interface Column extends SqlColumn {
  readonly type: number;
}

const timesOrBooleans: ReadonlyMap<number, number> = new Map([
  [t.bool, copyChanges.boolean],
  [t.timestamp, copyChanges.timestamp],
  [t.timestamptz, copyChanges.timestamptz],
]);

/** What a line of CSV needs that the server writes its values of, so that they are as we write them. */
function changeOf({ type }: Column, escapeFormulas: boolean): number {
  const { none, formula, infinite } = copyChanges;
  const change = timesOrBooleans.get(type) ?? none;
  if (!escapeFormulas || type === t.bool) return change;
  if (numberTypes.has(type)) return infinite;
  return type === t.json || type === t.jsonb ? none : formula | change;
}

/** What a line of JSON or TSV needs that the server writes its values of. */
function textChangeOf({ type }: Column, isJson: boolean): number {
  const { none, number, json } = copyChanges;
  const change = timesOrBooleans.get(type) ?? none;
  if (change !== none || !isJson) return change;
  return numberTypes.has(type) ? number : type === t.json || type === t.jsonb ? json : none;
}

/** How the server writes lines of the format with the very bytes that we would write; `undefined`: it cannot. */
export function postgresCopy(
  format: FormatOptions,
  columns: readonly Column[],
): PostgresCopy | undefined {
  const { delimiter = ",", nullText = "", quote = "minimal" } = format;
  if (columns.some(({ convert }) => convert !== undefined)) return;
  const isCsv = format.format === "csv";
  const isJson = format.format === "ndjson";
  const escapeFormulas = format.escapeFormulas === true && !isJson;
  const fields = columns.map(({ expression, type }) =>
    type === t.bytea ? `translate(encode(${expression}, 'base64'), E'\\n', '')` : expression
  );
  if (isCsv) {
    // A line of one value alone has rules of its own; no time or boolean has such a delimiter or begins as such a text.
    const [delimiters, nullTexts] = escapeFormulas
      ? [/^[,;|\t]$/, /^(?:\\N|[A-Z]*)$/]
      : [/^[\t!#$%&()*,/;<=>?@[\\\]^_`{|}~]$/, /^(?:\\N|(?![tf])[A-Za-z/?-]*)$/];
    const isUsual = delimiters.test(delimiter) && nullTexts.test(nullText) &&
      !nullText.includes(delimiter);
    if (columns.length === 1 || !isUsual) return;
    return {
      fields,
      options: `FORMAT csv, DELIMITER ${quoteText(delimiter)}, NULL ${quoteText(nullText)}` +
        (quote === "all" ? ", FORCE_QUOTE *" : ""),
      marks: {
        ...{ delimiter: delimiter.charCodeAt(0), quote: 34, lineEnd: "\r\n" },
        changes: Uint8Array.from(columns, (column) => changeOf(column, escapeFormulas)),
      },
    };
  }
  if (escapeFormulas || /\p{Cc}/u.test(nullText)) return;
  const made = createFormat({ ...format, titles: columns.map(({ title }) => title) });
  const fieldOf = (value: Value) => made.field(value)!;
  return {
    fields,
    // Texts hold no such characters, as a rule: then the server sets no quotes.
    options: `FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01', ESCAPE E'\\x01', NULL ''`,
    marks: {
      ...{ delimiter: 2, quote: 1, lineEnd: made.marks[2] },
      changes: Uint8Array.from(columns, (column) => textChangeOf(column, isJson)),
      text: {
        names: fieldPrefixes(made, columns.length),
        nullText: Buffer.from(fieldOf(null)),
        escapes: textEscapes(fieldOf),
        jsonEscapes: textEscapes((text) => fieldOf(new JsonText(text))),
        isJson,
      },
    },
  };
}

/** What lines are read of. */
interface PostgresLinesOptions {
  readonly columns: readonly Column[];
  /** What a row is known by. */
  readonly keys: readonly SqlColumn[];
  /** Where a row lies in the span that is read, in SQL. */
  readonly place: string | undefined;
  readonly maxValueBytes: number;
  /** Whether no stored value is larger than `mostStoredBytes`. */
  readonly isSmall: boolean;
  /** Whether the key of rows must be found in their lines. */
  readonly isKeyed: boolean;
  /** Where rows are from, which they are, and in which order. */
  readonly fromWhere: string;
}

/** How rows are read as lines. */
interface PostgresLines {
  readonly statement: string;
  readonly marks: CopyMarks;
  /** Whether a first field says where the row lies, or in brackets what of it is too large. */
  readonly isHeaded: boolean;
  /** Which field says where a row lies, if no first field does. */
  readonly placeIndex: number | undefined;
  /** Which fields are the key; none if it is not asked for. */
  readonly keyIndexes: readonly number[];
}

/** How much larger what was compressed may be: by far less than this. */
const mostGrowth = 300;

/** Types of which a value is no longer as text than as it is stored, when that is not compressed. */
const storedTypes: ReadonlySet<number> = new Set([
  ...[...longTypes].filter((type) => type !== t.bytea),
  t.json,
]);

/** How rows are read as lines of a format, which the server makes; `undefined`: it cannot. */
export function postgresLines(
  format: FormatOptions,
  options: PostgresLinesOptions,
): PostgresLines | undefined {
  const { columns, keys, place, maxValueBytes: most, isSmall, fromWhere } = options;
  const copy = postgresCopy(format, columns);
  if (copy === undefined) return;
  const keyIndexes = options.isKeyed
    ? keys.map((key) => columns.findIndex(({ expression }) => expression === key.expression))
    : [];
  const { changes, text } = copy.marks;
  // What was changed is no longer the text that the server knows a row by.
  const isAsItIs = (index: number) =>
    text === undefined && changes[index] === copyChanges.none &&
    copy.fields[index] === columns[index]!.expression;
  if (!keyIndexes.every(isAsItIs)) return;
  const sizes = columns.map(({ expression, type }) =>
    fixedTypes.has(type) || (type === t.numeric && most >= mostNumericBytes) ||
      isSmall && storedTypes.has(type)
      ? undefined
      : `octet_length(${expression}::${castOf(type)})`
  );
  // What is too large is not sent.
  const sent = columns.map((column, index) => {
    if (sizes[index] === undefined) return column;
    const { expression } = column;
    const bounded = `CASE WHEN ${sizes[index]} > ${most} THEN NULL ELSE ${expression} END`;
    return { ...column, expression: `(${bounded})` };
  });
  const known = (keys.length > 0 ? keys : sent.slice(0, 1))
    .map(({ expression }) => `(${expression})::text`).join(", ");
  const toCheck = (isLong: boolean) =>
    columns.flatMap(({ type }, index) =>
      sizes[index] === undefined || longTypes.has(type) !== isLong
        ? []
        : [`WHEN ${sizes[index]} > ${most} THEN json_build_array(${index}, ${known})::text`]
    );
  const isLarge = [...toCheck(true), ...toCheck(false)];
  const placeIndex = columns.findIndex(({ expression }) => expression === place);
  const isFound = place === undefined || text === undefined && placeIndex >= 0;
  const isHeaded = isLarge.length > 0 || !isFound;
  const at = place === undefined ? "'0'" : `coalesce((${place})::text, '0')`;
  const head = isLarge.length === 0 ? at : `CASE ${isLarge.join(" ")} ELSE ${at} END`;
  const fields = [...(isHeaded ? [head] : []), ...postgresCopy(format, sent)!.fields];
  return {
    statement: `COPY (SELECT ${fields.join(", ")} ${fromWhere}) TO STDOUT (${copy.options})`,
    ...{ marks: copy.marks, isHeaded, keyIndexes },
    placeIndex: isHeaded || placeIndex < 0 ? undefined : placeIndex,
  };
}

/** Bytes of lines that are held before the server has to wait. */
const heldBytes = 262_144;

/**
 * Reads what a COPY gives, as lines. Where the connection gives the bytes they are taken from it; otherwise each row
 * comes from the driver.
 *
 * @throws {Error} If the server has sent other rows than it says, or fails.
 */
async function* readCopy(
  { sql, socket }: PostgresSession,
  statement: string,
  rows: CopiedRows,
): AsyncGenerator<Piece, void> {
  let end: { readonly failure?: unknown } | undefined;
  let sent: number | undefined;
  let wake = () => {};
  const finish = (how: { readonly failure?: unknown }) => {
    end ??= how;
    wake();
  };
  const isTapped = socket?.canCopy === true;
  let pause = () => void socket!.pause();
  let resume = () => void socket!.resume();
  let isPaused = false;
  let isOver = false;
  const onRows = () => {
    if (rows.bytes >= heldBytes) {
      isPaused = true;
      pause();
    }
    wake();
  };
  const failures: unknown[] = [];
  // What a row throws is no failure of the connection, whose other messages still are the driver's.
  const add = (bytes: Buffer, from: number, to: number) => {
    if (isOver || failures.length > 0) return;
    try {
      rows.add(bytes, from, to);
    } catch (failure) {
      failures.push(failure);
      finish({ failure });
    }
  };
  if (isTapped) socket.startCopy({ add, onRows, onCount: (count) => void (sent = count) });
  const stream = await sql.unsafe(statement).readable();
  if (!isTapped) {
    pause = () => void stream.pause();
    resume = () => void stream.resume();
  }
  stream.on("data", (row: Buffer) => {
    add(row, 0, row.length);
    onRows();
  });
  stream.once("end", () => finish({}));
  stream.once("error", (failure) => finish({ failure }));
  stream.once("close", () => finish({ failure: new Error("the connection was closed") }));
  try {
    while (true) {
      if (failures.length > 0) throw failures[0];
      const pieces = rows.take();
      if (isPaused) {
        isPaused = false;
        resume();
      }
      if (pieces.length > 0) yield* pieces;
      else if (end !== undefined) {
        if ("failure" in end) throw end.failure;
        if (sent !== undefined && sent !== rows.count) {
          throw new Error(`the server sent ${sent} rows, but ${rows.count} came`);
        }
        return;
      } else await new Promise<void>((resolve) => wake = resolve);
    }
  } finally {
    isOver = true;
    // Nothing takes the rest; what ends the session ends this.
    if (end === undefined || failures.length > 0) pause();
    stream.destroy();
  }
}

interface ColumnRow {
  readonly attname: string;
  /** Its place in the primary key, from 1; 0: it is not in it. */
  readonly place: number;
}

async function findTable(sql: Sql, name: string): Promise<string> {
  for (const candidate of tableNames(name)) {
    const [row] = await sql`SELECT to_regclass(${candidate})::text AS found`;
    if (row!.found !== null) return candidate;
  }
  const known = await sql<{ relname: string }[]>`
    SELECT relname FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND pg_table_is_visible(oid)
    AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    ORDER BY relname`;
  const names = known.map(({ relname }) => relname).join(", ") || "none at all";
  throw new RangeError(`there is no table ${JSON.stringify(name)}, but ${names}`);
}

/**
 * What a selection reads of a PostgreSQL database.
 *
 * @throws {RangeError} If there is no such table, or the query is none.
 */
async function postgresShape(sql: Sql, from: Selection["from"]): Promise<SqlShape> {
  switch (from.kind) {
    case "conversations":
      return conversationShape();
    case "table": {
      const table = await findTable(sql, from.name);
      const columns = await sql<ColumnRow[]>`
        SELECT attname, coalesce(array_position(indkey::int2[], attnum), -1) + 1 AS place
        FROM pg_attribute LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
        WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;
      return {
        tables: `${table} AS t`,
        columns: columns.map(({ attname }) => tableColumn(attname)),
        key: columns.filter(({ place }) => place > 0).sort((one, other) => one.place - other.place)
          .map(({ attname }) => tableColumn(attname)),
        everything: "t.*",
      };
    }
    case "query": {
      const query = oneStatement(from.sql);
      // It takes one statement alone, whatever the text holds.
      const { columns } = await sql.unsafe(query).describe();
      // On lines of its own: a comment at its end must not swallow what follows.
      return queryShape(
        columns.map(({ name }) => name),
        (q) => ({ tables: `(\n${query}\n) AS ${q}` }),
      );
    }
    case "collection":
      throw new RangeError("PostgreSQL has tables, not collections: use --table or --query");
  }
}

const integers: ReadonlySet<number> = new Set([t.int2, t.int4, t.int8]);
const fractions: ReadonlySet<number> = new Set([t.float4, t.float8, t.numeric]);

/**
 * How rows are placed by a column of a type of PostgreSQL; one without a time zone is of UTC.
 *
 * @throws {RangeError} If the type is none of times or numbers.
 */
async function postgresTime(
  sql: Sql,
  { expression, type }: Column,
  tables: string,
  time: TimeSelection,
): Promise<SqlTime> {
  const { field, unit } = time;
  if (integers.has(type) || fractions.has(type)) {
    const [first] = unit !== undefined ? [] : await sql.unsafe(
      `SELECT (${expression})::text AS value FROM ${tables} WHERE ${expression} IS NOT NULL LIMIT 1`,
    );
    const isNone = `${expression}::text IN ('NaN', 'Infinity', '-Infinity')`;
    return numberTime(
      expression,
      time,
      unit === "s" || unit === "ms" ? unit : guessUnit(first && Number(first.value)),
      fractions.has(type) ? isNone : "",
    );
  }
  if (type !== t.timestamptz && type !== t.timestamp && type !== t.date) {
    throw new RangeError(
      `--time-field ${field} must be a date, a time or a number: a --query can make it one`,
    );
  }
  const literal = (ms: number) => {
    const text = new Date(ms).toISOString();
    return type === t.timestamptz ? `'${text}'::timestamptz` : `'${text.slice(0, -1)}'::timestamp`;
  };
  return {
    ...{ field, expression, isIndexable: true },
    place: `(extract(epoch FROM ${expression}) * 1000)`,
    isIn: ({ from, to }: Span) =>
      `(${expression} >= ${literal(from)} AND ${expression} < ${literal(to)})`,
    isUnplaced: `${expression} IS NULL OR NOT isfinite(${expression})`,
    reasonOf: (value) =>
      `${field} is ${value === null ? "NULL" : "infinite"}, so that it has no place in time`,
  };
}

/** Bytes that a fetch should bring at most; rows are counted, and how large the next ones are is not known. */
const wantedBytes = 1_048_576;

/** Fetched first, to see how large rows are. */
const firstRows = 16;

/** A row as the server sends it: text, or NULL. */
type RawRow = readonly (Uint8Array | null)[];

/** How many bytes rows had that were read before. */
interface RowSizes {
  /** The largest of the last fetch of any cursor; `undefined`: nothing was read. */
  largest: number | undefined;
}

/**
 * Reads a query by a cursor of the server, up to `batchSize` rows at a time, fewer where they are large. Any other
 * cursor of the session ends: to open one takes no round trip of its own.
 *
 * @param convert Makes of each row, as it arrives, what is kept of it: its bytes lie in what the network brought, and a
 * fetch that kept all of that until it is whole would be many times what is exported.
 */
async function* postgresCursor<Kept>(
  sql: Sql,
  query: string,
  batchSize: number,
  sizes: RowSizes,
  convert: (row: RawRow) => Kept,
): AsyncGenerator<readonly Kept[], void> {
  let count = 0;
  const fetch = async (opening: string): Promise<readonly Kept[]> => {
    count = sizes.largest === undefined
      ? Math.min(firstRows, batchSize)
      : Math.max(1, Math.min(batchSize, Math.floor(wantedBytes / sizes.largest)));
    const rows: Kept[] = [];
    let largest = 1;
    await sql.unsafe(`${opening}FETCH ${count} FROM rows`).raw().forEach((row) => {
      const raw = row as unknown as RawRow;
      let bytes = 0;
      for (let index = 0; index < raw.length; index++) bytes += raw[index]?.length ?? 0;
      largest = Math.max(largest, bytes);
      rows.push(convert(raw));
    });
    if (rows.length > 0) sizes.largest = largest;
    return rows;
  };
  let rows = await fetch(`CLOSE ALL; DECLARE rows NO SCROLL CURSOR FOR ${query}; `);
  while (true) {
    if (rows.length > 0) yield rows;
    if (rows.length < count) return;
    rows = await fetch("");
  }
}

interface PlacedRow {
  readonly row: Row;
  readonly at: number;
  readonly key: readonly string[] | undefined;
}

interface Plan extends SqlPlan<Column> {
  readonly span: Span | undefined;
  readonly expectedRows: number | undefined;
  /** What creates the index that is missing. */
  readonly createIndex: string | undefined;
  /** Whether what the server gives as text is text for sure. */
  readonly isEncoded: boolean;
  /** Whether none of its values can be large. */
  readonly isSmall: boolean;
}

/**
 * What is known of a table: about how many rows it has, whether other tables inherit from it (those that are its
 * partitions share its key), and whether no value can be large because none was ever stored outside of its row: then
 * there is no need to measure each.
 */
async function describeTable(sql: Sql, table: string, leastBytes: number) {
  const [row] = await sql`
    SELECT reltuples::float8 AS rows, relkind <> 'p' AND EXISTS (
        SELECT FROM pg_inherits WHERE inhparent = pg_class.oid) AS has_children,
      relkind = 'r' AND NOT relhassubclass AND current_setting('block_size')::int8 * ${mostGrowth} <= ${leastBytes}
      AND coalesce(pg_relation_size(nullif(reltoastrelid, 0)::regclass), 0) = 0
      AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid
        AND coalesce(to_jsonb(pg_attribute) ->> 'attgenerated', '') NOT IN ('', 's'))
      AS is_small FROM pg_class WHERE oid = ${table}::regclass`;
  return row!;
}

/** Whether an index of the table begins with a column. */
async function hasIndex(sql: Sql, table: string, column: string): Promise<boolean> {
  const rows = await sql`
    SELECT 1 FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
    WHERE indrelid = ${table}::regclass AND attname = ${column}`;
  return rows.length > 0;
}

async function planRead(sql: Sql, selection: Selection): Promise<Plan> {
  const { from, time: timed, after } = selection;
  const untyped = await postgresShape(sql, from);
  const { tables } = untyped;
  const all = untyped.columns.map(({ expression }) => expression).join(", ");
  const { columns: types } = await sql.unsafe(`SELECT ${all} FROM ${tables}`).describe();
  const columns = untyped.columns.map((one, index): Column => ({
    ...{ ...one, type: types[index]!.type },
  }));
  const table = from.kind === "conversations" ? "messages" : tables.replace(/ AS t$/, "");
  let time: SqlTime | undefined;
  let createIndex: string | undefined;
  if (timed !== undefined) {
    const column = columns[findColumn(timed.field, columns.map(({ title }) => title))]!;
    time = await postgresTime(sql, column, tables, timed);
    if (from.kind !== "query" && !(await hasIndex(sql, table, column.title))) {
      const name = time.expression.replace(/^(?:t|messages)\./, "");
      createIndex = `CREATE INDEX ON ${table} (${name});`;
    }
  }
  const known = from.kind === "table"
    ? await describeTable(sql, table, selection.maxValueBytes)
    : undefined;
  const typeOf = (key: SqlColumn) =>
    columns.find(({ expression }) => expression === key.expression)?.type;
  const plan = planSql({ ...untyped, columns }, selection, {
    time,
    isPartKey: (key) => integers.has(typeOf(key) ?? 0),
    // A child's rows may have the same keys as its parent's.
    isLasting: known?.has_children === false,
    literalOf: quoteText,
    textOf: (expression) => `(${expression})::text`,
  });
  const { partKey, isAfter } = plan;
  let span = plan.period;
  if (partKey !== undefined) {
    const [ends] = await sql.unsafe(
      `SELECT min(${partKey})::text AS least, max(${partKey})::text AS most FROM ${tables}` +
        (after === undefined ? "" : ` WHERE ${isAfter}`),
    );
    const [least, most] = [Number(ends!.least ?? NaN), Number(ends!.most ?? NaN) + 1];
    if (Number.isSafeInteger(least) && Number.isSafeInteger(most)) span = { from: least, to: most };
  }
  const [{ encoding }] = await sql`SELECT current_setting('server_encoding') AS encoding`;
  return {
    ...{ ...plan, span, createIndex },
    ...{ isEncoded: encoding !== "SQL_ASCII", isSmall: known?.is_small === true },
    expectedRows: timed === undefined && known !== undefined && known.rows > 0
      ? known.rows
      : undefined,
  };
}

/** Sessions with a server that see the same. */
interface Sessions {
  readonly open: OpenSession;
  /** The session that was opened first: what it sees, all see. */
  readonly first: PostgresSession;
  readonly snapshot: string;
}

function postgresSource(
  name: string,
  { open, first, snapshot }: Sessions,
  selection: Selection,
  plan: Plan,
): RowSource {
  const { columns, shape: { key, everything }, place, span, isSmall } = plan;
  const { maxValueBytes, isResumable } = selection;
  /** What rows are named by, by the values that are fetched. */
  const names = key.length > 0 ? key : columns.slice(0, 1);
  const sessions = new Set([first]);
  /** Those that no cursor uses now. */
  const idle = [first];
  const sizes: RowSizes = { largest: undefined };
  const largeAt = columns.length;
  const keyAt = largeAt + 1;
  const placeAt = place === undefined ? -1 : keyAt + key.length;
  let cursors = 0;
  let isClosed = false;

  async function takeSession(): Promise<PostgresSession> {
    const session = idle.pop() ?? await open(snapshot);
    sessions.add(session);
    if (!isClosed) return session;
    await session.sql.end({ timeout: 0 });
    throw new Error(`${name} was closed`);
  }

  function toRow(raw: RawRow): Value[] {
    const fail = (title: string, reason: string) => {
      const values = key.length > 0 ? raw.slice(keyAt) : raw;
      const shown = names.map((_, index) => values[index] ? textOf(values[index]!) : null);
      throw new BadRowError(nameRow(names, shown), `${title} ${reason}`);
    };
    const large = "is larger than --max-value";
    const tooLarge = raw[largeAt] ?? null;
    if (tooLarge !== null) fail(columns[Number(textOf(tooLarge))]!.title, large);
    return columns.map(({ title, type, convert }, index): Value => {
      const bytes = raw[index] ?? null;
      if (bytes === null) return null;
      const value = postgresValue(bytes, type);
      if (value === undefined) fail(title, "is text that is not valid");
      if (bytes.length > maxValueBytes && !longTypes.has(type)) fail(title, large);
      return convert === undefined ? value : convert(Number(textOf(bytes)));
    });
  }

  function select(part: Span | undefined, projection: boolean): string {
    const isLarge = columns.map(({ expression, type }) =>
      longTypes.has(type)
        ? `octet_length(${expression}::${castOf(type)}) > ${maxValueBytes}`
        : undefined
    );
    const whens = isLarge.flatMap((is, index) =>
      is === undefined ? [] : `WHEN ${is} THEN ${index}`
    );
    const selected = [
      ...columns.map(({ expression }, index) =>
        isLarge[index] === undefined
          ? expression
          : `CASE WHEN ${isLarge[index]} THEN NULL ELSE ${expression} END`
      ),
      whens.length === 0 ? "NULL" : `CASE ${whens.join(" ")} END`,
      ...key.map(({ expression }) => expression),
      ...(place === undefined ? [] : [place]),
      ...(projection ? [] : [everything]),
    ];
    return `SELECT ${selected.join(", ")} ${plan.fromWhere(part)}`;
  }

  async function* read(
    { part, batchSize, projection, onRow, onBadRow }: CursorOptions,
  ): AsyncGenerator<RowBatch, void> {
    if (isClosed) throw new Error(`${name} is closed`);
    cursors++;
    let session: PostgresSession | undefined;
    try {
      session = await takeSession();
      const batches = new BatchBuilder(batchSize);
      let count = 0;
      const convert = (raw: RawRow): PlacedRow | BadRowError => {
        count++;
        try {
          return {
            row: toRow(raw),
            at: placeAt < 0 ? count : Number(textOf(raw[placeAt]!)),
            key: isResumable ? key.map((_, index) => keyText(raw[keyAt + index]!)) : undefined,
          };
        } catch (error) {
          if (!(error instanceof BadRowError)) throw error;
          return error;
        }
      };
      const query = select(part, projection);
      for await (const rows of postgresCursor(session.sql, query, batchSize, sizes, convert)) {
        for (const one of rows) {
          onRow();
          if (one instanceof BadRowError) onBadRow(one);
          else yield* batches.add(one.row, one.at, one.key);
        }
      }
      yield* batches.rest();
    } finally {
      cursors--;
      // A cursor left in the middle ends when the next one begins.
      if (session !== undefined) idle.push(session);
    }
  }

  async function* readLines(
    lines: PostgresLines,
    { onRow, onBadRow, keyEveryBytes }: LineOptions,
  ): AsyncGenerator<Piece> {
    if (isClosed) throw new Error(`${name} is closed`);
    const rows = new CopiedRows({
      ...lines,
      pieceBytes: keyEveryBytes,
      onRow,
      onBadRow(told) {
        const [index, ...key] = JSON.parse(told) as [number, ...(string | null)[]];
        const reason = `${columns[index]!.title} is larger than --max-value`;
        onBadRow(new BadRowError(nameRow(names, key), reason));
      },
    });
    cursors++;
    try {
      const session = await takeSession();
      yield* readCopy(session, lines.statement, rows);
      idle.push(session);
    } finally {
      cursors--;
    }
  }

  return {
    ...{ name, span, read, expectedRows: plan.expectedRows },
    titles: columns.map(({ title }) => title),
    key: plan.lasting.map(({ title }) => title),
    notCut: plan.notCut("it has no rows, or no primary key of one integer: give a --time-field"),
    get openCursors() {
      // The sessions they are of have ended; what waited for one may not know it yet.
      return isClosed ? 0 : cursors;
    },
    warnings: () =>
      Promise.resolve(
        plan.createIndex === undefined ? [] : [
          `no index on ${plan.time!.field}, so all rows are read and sorted for each part: ` +
          plan.createIndex,
        ],
      ),
    async reportUnplaced({ onRow, onBadRow, signal }) {
      if (plan.unplaced === undefined) return;
      const toTexts = (row: RawRow) => row.map((one) => one === null ? null : textOf(one));
      const sizes = { largest: undefined };
      for await (const rows of postgresCursor(first.sql, plan.unplaced, 500, sizes, toTexts)) {
        signal?.throwIfAborted();
        for (const [value = null, ...key] of rows) {
          onRow();
          const isNumber = value !== null && /^-?(?:\d|Infinity$)/.test(value);
          onBadRow(plan.unplacedRow(isNumber ? Number(value) : value, key));
        }
      }
    },
    readLines(format, options) {
      if (!options.projection || !plan.isEncoded || maxValueBytes < mostFixedBytes) {
        return undefined;
      }
      const lines = postgresLines(format, {
        ...{ columns, keys: key, place, maxValueBytes, isSmall },
        isKeyed: options.keyEveryBytes !== undefined,
        fromWhere: plan.fromWhere(options.part),
      });
      return lines && readLines(lines, options);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.all(Array.from(sessions, ({ sql }) => sql.end({ timeout: 0 })));
    },
  };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The text of a key, of which nothing may be lost. */
function keyText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/**
 * Opens a PostgreSQL database. All of its cursors see it as it is when it is opened, however long reading takes.
 *
 * @throws {Error} If the server cannot be reached, or has not what is selected.
 * @throws The signal's reason, if it aborts.
 */
export async function openPostgres(
  address: string,
  selection: Selection,
  signal?: AbortSignal,
): Promise<RowSource> {
  const { name } = readAddress(address);
  const { timeoutMs } = selection;
  const isPartial = selection.isPartial === true;
  const openSession = postgresSessions(address, { timeoutMs, isPartial });
  let first: PostgresSession | undefined;
  const end = () => void first?.sql.end({ timeout: 0 }).catch(() => {});
  const open = async () => {
    first = await openSession();
    const [row] = await first.sql`SELECT pg_export_snapshot() AS snapshot`;
    const plan = await planRead(first.sql, selection);
    const sessions = { open: openSession, first, snapshot: row!.snapshot };
    return postgresSource(name, sessions, selection, plan);
  };
  signal?.addEventListener("abort", end);
  try {
    return await limitWaits(open(), timeoutMs, name, signal);
  } catch (cause) {
    end();
    if (signal?.aborted) throw signal.reason;
    const { message, code } = cause as Error & { code?: string };
    const hint = /affected by row-level security/.test(message)
      ? ", so that rows would lack; --row-security exports those that may be seen"
      : "";
    const reason = hideSecrets(message || code || String(cause), [address]);
    throw new Error(`Cannot open ${name}: ${reason}${hint}`, { cause });
  } finally {
    signal?.removeEventListener("abort", end);
  }
}
