import type { Sql } from "postgres";
import { BadRowError, nameRow } from "../bad_row_error.ts";
import { BatchBuilder } from "../batch_builder.ts";
import { chooseFields, findColumn } from "../choose_fields.ts";
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
import { conversationShape, messageTime } from "./conversation_shape.ts";
import { readAddress } from "../../secrets/read_address.ts";
import { hideSecrets } from "../../secrets/hide_secrets.ts";
import {
  isAfterKey,
  numberTime,
  oneStatement,
  quoteName,
  quoteText,
  type SqlColumn,
  type SqlShape,
  type SqlTime,
} from "./sql_shape.ts";
import { CopiedRows } from "./copied_rows.ts";
import { type OpenSession, type PostgresSession, postgresSessions } from "./postgres_session.ts";
import {
  castOf,
  fixedTypes,
  longTypes,
  mostFixedBytes,
  mostNumericBytes,
  postgresTypes,
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

const numbers = new Set<number>([t.int2, t.int4, t.int8, t.oid, t.float4, t.float8, t.numeric]);

/** What a line of CSV needs that the server writes its values of, so that they are as we write them. */
function changeOf({ type }: Column, escapeFormulas: boolean): number {
  const { none, boolean, timestamp, timestamptz, formula, infinite } = copyChanges;
  if (type === t.bool) return boolean;
  if (!escapeFormulas) {
    return type === t.timestamp ? timestamp : type === t.timestamptz ? timestamptz : none;
  }
  if (type === t.timestamp || type === t.timestamptz) {
    return formula | (type === t.timestamp ? timestamp : timestamptz);
  }
  if (numbers.has(type)) return infinite;
  return type === t.json || type === t.jsonb ? none : formula;
}

/** What the server makes a text of, where nothing is changed here. */
function serverText({ expression: x, type }: Column): string {
  // Times before Christ are left as they are, and infinite ones.
  const isUsual = `isfinite(${x}) AND ${x} >= '0001-01-01'`;
  switch (type) {
    case t.bool:
      return `CASE WHEN ${x} THEN 'true' WHEN NOT ${x} THEN 'false' END`;
    case t.bytea:
      return `translate(encode(${x}, 'base64'), E'\\n', '')`;
    case t.timestamp:
      return `CASE WHEN ${isUsual} THEN replace(${x}::text, ' ', 'T') ELSE ${x}::text END`;
    case t.timestamptz:
      return `CASE WHEN ${isUsual} THEN replace(left(${x}::text, -3), ' ', 'T') || 'Z' ELSE ${x}::text END`;
    default:
      return `${x}::text`;
  }
}

/** What a line of JSON or TSV needs that the server writes its values of. */
function textChangeOf({ type }: Column, isJson: boolean): number {
  const { none, boolean, timestamp, timestamptz, number, json } = copyChanges;
  if (type === t.bool) return boolean;
  if (type === t.timestamp) return timestamp;
  if (type === t.timestamptz) return timestamptz;
  if (!isJson) return none;
  return numbers.has(type) ? number : type === t.json || type === t.jsonb ? json : none;
}

/** How the server writes lines of the format with the very bytes that we would write; `undefined`: it cannot. */
export function postgresCopy(
  format: FormatOptions,
  columns: readonly Column[],
): PostgresCopy | undefined {
  const { delimiter = ",", nullText = "", quote = "minimal" } = format;
  if (columns.some(({ convert }) => convert !== undefined)) return;
  if (/\p{Cc}/u.test(nullText)) return;
  const escapeFormulas = format.escapeFormulas === true && format.format !== "ndjson";
  const options = (mark: string, quoteMark: string, isNull: string, more = "") =>
    `FORMAT csv, DELIMITER ${mark}, QUOTE ${quoteMark}, ESCAPE ${quoteMark}, NULL ${isNull}${more}`;
  if (format.format === "csv") {
    // A line of one value alone has rules of its own.
    if (columns.length === 1 || !/^[\x20-\x7e\t]$/.test(delimiter)) return;
    // No time or boolean has such marks, and what the server writes is changed here: it is the cheaper place.
    const isUsual = /^[,;|\t]$/.test(delimiter) && /^(?:\\N|[A-Z]*)$/.test(nullText);
    if (escapeFormulas && !isUsual) return;
    const isMade = ({ type }: Column) =>
      type === t.bytea ||
      !isUsual && (type === t.bool || type === t.timestamp || type === t.timestamptz);
    return {
      fields: columns.map((column) => isMade(column) ? serverText(column) : column.expression),
      options: options(
        quoteText(delimiter),
        `'"'`,
        quoteText(nullText),
        quote === "all" ? ", FORCE_QUOTE *" : "",
      ),
      marks: {
        ...{ delimiter: delimiter.charCodeAt(0), quote: 34, lineEnd: "\r\n" },
        changes: Uint8Array.from(
          columns,
          (column) => isUsual ? changeOf(column, escapeFormulas) : copyChanges.none,
        ),
      },
    };
  }
  if (escapeFormulas) return;
  const isJson = format.format === "ndjson";
  const made = createFormat({ ...format, titles: columns.map(({ title }) => title) });
  const fieldOf = (value: Value) => made.field(value)!;
  // Texts hold no such characters, as a rule: then the server sets no quotes.
  return {
    fields: columns.map((column) =>
      column.type === t.bytea ? serverText(column) : column.expression
    ),
    options: options("E'\\x02'", "E'\\x01'", "''"),
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

interface Column extends SqlColumn {
  readonly type: number;
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
  ...[...longTypes].filter((type) => type !== postgresTypes.bytea),
  postgresTypes.json,
]);

/**
 * Whether no value of a table can be large, because none was ever stored outside of its row: then there is no need to
 * measure each.
 */
async function isTableSmall(sql: Sql, table: string, leastBytes: number): Promise<boolean> {
  const [row] = await sql`
    SELECT relkind = 'r' AND NOT relhassubclass AND current_setting('block_size')::int8 * ${mostGrowth} <= ${leastBytes}
      AND coalesce(pg_relation_size(nullif(reltoastrelid, 0)::regclass), 0) = 0
      AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid 
        AND coalesce(to_jsonb(pg_attribute) ->> 'attgenerated', '') NOT IN ('', 's'))
      AS is_small FROM pg_class WHERE oid = ${table}::regclass`;
  return row?.is_small === true;
}

/** How rows are read as lines of a format, which the server makes; `undefined`: it cannot. */
export function postgresLines(
  format: FormatOptions,
  options: PostgresLinesOptions,
): PostgresLines | undefined {
  const { columns, keys, place, maxValueBytes: most, isSmall, fromWhere } = options;
  const copyOf = (columns: readonly Column[]): PostgresCopy | undefined =>
    postgresCopy(format, columns);
  const copy = copyOf(columns);
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
    fixedTypes.has(type) || (type === postgresTypes.numeric && most >= mostNumericBytes) ||
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
  const fields = [...(isHeaded ? [head] : []), ...copyOf(sent)!.fields];
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

/** A table by its name, or by that of its schema and its own with a point between. */
async function findTable(sql: Sql, name: string): Promise<string> {
  const point = name.indexOf(".");
  const candidates = [
    quoteName(name),
    ...(point > 0
      ? [`${quoteName(name.slice(0, point))}.${quoteName(name.slice(point + 1))}`]
      : []),
  ];
  for (const candidate of candidates) {
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

async function tableShape(sql: Sql, name: string): Promise<SqlShape> {
  const table = await findTable(sql, name);
  const columns = await sql<ColumnRow[]>`
    SELECT attname, coalesce(array_position(indkey::int2[], attnum), -1) + 1 AS place
    FROM pg_attribute LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
    WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;
  const toColumn = (name: string): SqlColumn => ({
    expression: `t.${quoteName(name)}`,
    title: name,
  });
  return {
    prelude: "",
    tables: `${table} AS t`,
    columns: columns.map(({ attname }) => toColumn(attname)),
    key: columns.filter(({ place }) => place > 0).sort((one, other) => one.place - other.place)
      .map(({ attname }) => toColumn(attname)),
    everything: "t.*",
  };
}

async function queryShape(sql: Sql, text: string): Promise<SqlShape> {
  const query = oneStatement(text);
  // It takes one statement alone, whatever the text holds.
  const { columns } = await sql.unsafe(query).describe();
  const names = columns.map(({ name }) => name);
  if (names.length === 0) throw new RangeError("the query gives no columns");
  // Columns by their position: two may have one name.
  const places = names.map((_, index) => `c${index}`);
  return {
    prelude: "",
    // On lines of its own: a comment at its end must not swallow what follows.
    tables: `(\n${query}\n) AS q(${places.join(", ")})`,
    columns: names.map((title, index) => ({ expression: `q.c${index}`, title })),
    key: [],
    everything: "q.*",
  };
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
    case "table":
      return await tableShape(sql, from.name);
    case "query":
      return await queryShape(sql, from.sql);
    case "collection":
      throw new RangeError("PostgreSQL has tables, not collections: use --table or --query");
  }
}

const { timestamptz, timestamp, date, int2, int4, int8, float4, float8, numeric } = postgresTypes;
const counted: readonly number[] = [int2, int4, int8, float4, float8, numeric];
const fractions: readonly number[] = [float4, float8, numeric];

/** Below this a number of the first row is taken for seconds. */
const leastMs = 1e11;

/**
 * How rows are placed by a column of a type of PostgreSQL; one without a time zone is of UTC.
 *
 * @param first A number of that column, to see what numbers are.
 * @throws {RangeError} If the type is none of times or numbers.
 */
function postgresTime(
  expression: string,
  type: number,
  time: TimeSelection,
  first: number | undefined,
): SqlTime {
  const { field } = time;
  if (counted.includes(type)) {
    const unit = time.unit === "s" || time.unit === "ms"
      ? time.unit
      : first !== undefined && Math.abs(first) < leastMs
      ? "s"
      : "ms";
    return numberTime(
      expression,
      time,
      unit,
      fractions.includes(type) ? `${expression}::text IN ('NaN', 'Infinity', '-Infinity')` : "",
    );
  }
  if (type !== timestamptz && type !== timestamp && type !== date) {
    throw new RangeError(
      `--time-field ${field} must be a date, a time or a number: a --query can make it one`,
    );
  }
  const literal = (ms: number) => {
    const text = new Date(ms).toISOString();
    return type === timestamptz ? `'${text}'::timestamptz` : `'${text.slice(0, -1)}'::timestamp`;
  };
  return {
    ...{ field, expression, isIndexable: true },
    place: `(extract(epoch FROM ${expression}) * 1000)`,
    isIn: ({ from, to }: Span) =>
      `(${expression} >= ${literal(from)} AND ${expression} < ${literal(to)})`,
    isUnplaced: `${expression} IS NULL OR NOT isfinite(${expression})`,
    reasonOf: (value) =>
      value === null
        ? `${field} is NULL, so that it has no place in time`
        : `${field} is infinite, so that it has no place in time`,
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

interface Column extends SqlColumn {
  readonly type: number;
}

interface PlacedRow {
  readonly row: Row;
  readonly at: number;
  readonly key: readonly string[] | undefined;
}

interface Plan {
  readonly shape: SqlShape;
  readonly columns: readonly Column[];
  readonly time: SqlTime | undefined;
  readonly partKey: string | undefined;
  readonly span: Span | undefined;
  readonly order: string;
  readonly expectedRows: number | undefined;
  readonly isIndexed: boolean;
  /** What rows are known by for good, if they are ordered by nothing but it. */
  readonly lasting: readonly SqlColumn[];
  /** What is so of the rows after the one that reading goes on after. */
  readonly isAfter: string | undefined;
  /** Whether what the server gives as text is text for sure. */
  readonly isEncoded: boolean;
  /** Whether none of its values can be large. */
  readonly isSmall: boolean;
}

async function typesOf(
  sql: Sql,
  shape: SqlShape,
): Promise<{ readonly type: number }[]> {
  const all = shape.columns.map(({ expression }) => expression).join(", ");
  const { columns } = await sql.unsafe(`SELECT ${all} FROM ${shape.tables}`).describe();
  return columns;
}

async function firstNumber(
  sql: Sql,
  expression: string,
  tables: string,
): Promise<number | undefined> {
  const [row] = await sql.unsafe(
    `SELECT (${expression})::text AS value FROM ${tables} WHERE ${expression} IS NOT NULL LIMIT 1`,
  );
  return row === undefined ? undefined : Number(row.value);
}

/** Whether an index of the table begins with a column. */
async function hasIndex(sql: Sql, table: string, column: string): Promise<boolean> {
  const rows = await sql`
    SELECT 1 FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
    WHERE indrelid = ${table}::regclass AND attname = ${column}`;
  return rows.length > 0;
}

/** Whether other tables inherit from a table; those that are its partitions share its key. */
async function hasChildren(sql: Sql, table: string): Promise<boolean> {
  const rows = await sql`
    SELECT 1 FROM pg_inherits JOIN pg_class ON oid = inhparent
    WHERE oid = ${table}::regclass AND relkind <> 'p' LIMIT 1`;
  return rows.length > 0;
}

async function planRead(sql: Sql, selection: Selection): Promise<Plan> {
  const { from, orderBy, time: timed } = selection;
  const shape = await postgresShape(sql, from);
  const types = await typesOf(sql, shape);
  const known = shape.columns.map(({ title }) => title);
  const columns = chooseFields(selection.fields, known).map(({ index, title }): Column => ({
    ...{ ...shape.columns[index]!, title, type: types[index]!.type },
  }));
  const find = (path: string) => findColumn(path, known);
  const table = shape.tables.replace(/ AS t$/, "");
  let time: SqlTime | undefined;
  let isIndexed = true;
  if (timed !== undefined) {
    const index = find(timed.field);
    const expression = from.kind === "conversations"
      ? messageTime
      : shape.columns[index]!.expression;
    const { type } = types[index]!;
    const { timestamptz, timestamp, date } = postgresTypes;
    const isTime = [timestamptz, timestamp, date].some((one) => one === type);
    const first = isTime || timed.unit !== undefined
      ? undefined
      : await firstNumber(sql, expression, shape.tables);
    time = postgresTime(expression, type, timed, first);
    if (from.kind !== "query") {
      const timedTable = from.kind === "table" ? table : "messages";
      isIndexed = await hasIndex(sql, timedTable, known[index]!);
    }
  }
  const key = shape.key.map(({ expression }) => expression);
  const order =
    orderBy?.map(({ path, isDescending }) =>
      `${shape.columns[find(path)]!.expression}${isDescending ? " DESC" : ""}`
    ) ?? (time === undefined ? [] : [time.expression]);
  const keyType = types[shape.columns.findIndex(({ expression }) => expression === key[0])]?.type;
  const { int2, int4, int8 } = postgresTypes;
  const isKeyed = time === undefined && orderBy === undefined && key.length === 1 &&
    [int2, int4, int8].some((one) => one === keyType);
  const partKey = isKeyed ? key[0]! : undefined;
  let span: Span | undefined = timed === undefined || orderBy !== undefined
    ? undefined
    : { from: timed.period.fromMs, to: timed.period.toMs };
  // A child's rows may have the same keys as its parent's.
  const isLasting = from.kind === "table" && time === undefined && orderBy === undefined &&
    !(await hasChildren(sql, table));
  const isAfter = selection.after === undefined
    ? undefined
    : isAfterKey(shape.key, selection.after.map(quoteText));
  if (partKey !== undefined) {
    const [ends] = await sql.unsafe(
      `SELECT min(${partKey})::text AS least, max(${partKey})::text AS most FROM ${shape.tables}` +
        (isAfter === undefined ? "" : ` WHERE ${isAfter}`),
    );
    const [least, most] = [Number(ends!.least ?? NaN), Number(ends!.most ?? NaN) + 1];
    if (Number.isSafeInteger(least) && Number.isSafeInteger(most)) span = { from: least, to: most };
  }
  const isWhole = from.kind === "table" && timed === undefined;
  const [estimate] = isWhole
    ? await sql`SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = ${table}::regclass`
    : [];
  const isSmall = from.kind === "table" &&
    await isTableSmall(sql, table, selection.maxValueBytes);
  const [{ encoding }] = await sql`SELECT current_setting('server_encoding') AS encoding`;
  return {
    ...{ shape, columns, time, partKey, span, isIndexed, isAfter },
    ...{ isEncoded: encoding !== "SQL_ASCII", isSmall },
    lasting: isLasting ? shape.key : [],
    order: order.length + key.length === 0 ? "" : `ORDER BY ${[...order, ...key].join(", ")}`,
    expectedRows: estimate !== undefined && estimate.rows > 0 ? estimate.rows : undefined,
  };
}

class PostgresSource implements RowSource {
  readonly name: string;
  readonly titles: readonly string[];
  readonly key: readonly string[];
  readonly span: Span | undefined;
  readonly notCut?: string;
  readonly expectedRows: number | undefined;
  readonly #openSession: OpenSession;
  /** The session that was opened first: what it sees, all see. */
  readonly #first: PostgresSession;
  readonly #sessions = new Set<PostgresSession>();
  /** Those that no cursor uses now. */
  readonly #idle: PostgresSession[] = [];
  readonly #sizes: RowSizes = { largest: undefined };
  readonly #snapshot: string;
  readonly #selection: Selection;
  readonly #plan: Plan;
  #cursors = 0;
  #isClosed = false;

  constructor(
    name: string,
    openSession: OpenSession,
    first: PostgresSession,
    { snapshot, selection, plan }: { snapshot: string; selection: Selection; plan: Plan },
  ) {
    this.name = name;
    this.#openSession = openSession;
    this.#first = first;
    this.#sessions.add(first);
    this.#idle.push(first);
    this.#snapshot = snapshot;
    this.#selection = selection;
    this.#plan = plan;
    this.titles = plan.columns.map(({ title }) => title);
    this.key = plan.lasting.map(({ title }) => title);
    this.span = plan.span;
    this.expectedRows = plan.expectedRows;
    if (plan.span === undefined) {
      this.notCut = selection.orderBy !== undefined
        ? "parts follow each other by time or key, not as --order-by says"
        : selection.from.kind === "query"
        ? "a query has no key that is known"
        : "it has no rows, or no primary key of one integer: give a --time-field";
    }
  }

  get openCursors(): number {
    // The sessions they are of have ended; what waited for one may not know it yet.
    return this.#isClosed ? 0 : this.#cursors;
  }

  warnings(): Promise<string[]> {
    const { time, isIndexed, shape } = this.#plan;
    if (time === undefined || isIndexed) return Promise.resolve([]);
    const table = this.#selection.from.kind === "conversations"
      ? "messages"
      : shape.tables.replace(/ AS t$/, "");
    const column = time.expression.replace(/^(?:t|messages)\./, "");
    return Promise.resolve([
      `no index on ${time.field}, so all rows are read and sorted for each part: ` +
      `CREATE INDEX ON ${table} (${column});`,
    ]);
  }

  async reportUnplaced(
    { onRow, onBadRow, signal }: Parameters<RowSource["reportUnplaced"]>[0],
  ): Promise<void> {
    const { time, shape } = this.#plan;
    if (time === undefined) return;
    const keys = shape.key.length > 0 ? shape.key : shape.columns.slice(0, 1);
    const selected = [
      `(${time.expression})::text`,
      ...keys.map(({ expression }) => `(${expression})::text`),
    ];
    const query = `SELECT ${selected.join(", ")} FROM ${shape.tables} WHERE ${time.isUnplaced}`;
    const toTexts = (row: RawRow) => row.map((one) => one === null ? null : textOf(one));
    const sizes = { largest: undefined };
    for await (const rows of postgresCursor(this.#first.sql, query, 500, sizes, toTexts)) {
      signal?.throwIfAborted();
      for (const [value = null, ...key] of rows) {
        onRow();
        const isNumber = value !== null && /^-?(?:\d|Infinity$)/.test(value);
        const reason = time.reasonOf(isNumber ? Number(value) : value);
        onBadRow(new BadRowError(nameRow(keys, key), reason));
      }
    }
  }

  async *read(options: CursorOptions): AsyncGenerator<RowBatch, void> {
    if (this.#isClosed) throw new Error(`${this.name} is closed`);
    const { part, batchSize, projection, onRow, onBadRow } = options;
    this.#cursors++;
    let session: PostgresSession | undefined;
    try {
      session = await this.#takeSession();
      const batches = new BatchBuilder(batchSize);
      const { time, partKey } = this.#plan;
      const placeAt = time === undefined && partKey === undefined
        ? -1
        : this.#plan.columns.length + 1 + this.#plan.shape.key.length;
      let count = 0;
      const query = this.#select(part, projection);
      const convert = (raw: RawRow): PlacedRow | BadRowError => {
        count++;
        try {
          const at = placeAt < 0 ? count : Number(textOf(raw[placeAt]!));
          return { row: this.#toRow(raw), at, key: this.#keyOf(raw) };
        } catch (error) {
          if (!(error instanceof BadRowError)) throw error;
          return error;
        }
      };
      for await (
        const rows of postgresCursor(session.sql, query, batchSize, this.#sizes, convert)
      ) {
        for (const one of rows) {
          onRow();
          if (one instanceof BadRowError) onBadRow(one);
          else yield* batches.add(one.row, one.at, one.key);
        }
      }
      yield* batches.rest();
    } finally {
      this.#cursors--;
      // A cursor left in the middle ends when the next one begins.
      if (session !== undefined) this.#idle.push(session);
    }
  }

  readLines(format: FormatOptions, options: LineOptions): AsyncIterable<Piece> | undefined {
    const { columns, isEncoded, isSmall, shape, time, partKey } = this.#plan;
    const { maxValueBytes } = this.#selection;
    if (!options.projection || !isEncoded || maxValueBytes < mostFixedBytes) return undefined;
    const lines = postgresLines(format, {
      ...{ columns, keys: shape.key, place: time?.place ?? partKey, maxValueBytes, isSmall },
      ...{ isKeyed: options.keyEveryBytes !== undefined, fromWhere: this.#fromWhere(options.part) },
    });
    return lines && this.#readLines(lines, options);
  }

  async *#readLines(
    lines: PostgresLines,
    { onRow, onBadRow, keyEveryBytes }: LineOptions,
  ): AsyncGenerator<Piece> {
    if (this.#isClosed) throw new Error(`${this.name} is closed`);
    const { columns, shape } = this.#plan;
    const keys = shape.key.length > 0 ? shape.key : columns.slice(0, 1);
    const rows = new CopiedRows({
      ...lines,
      pieceBytes: keyEveryBytes,
      onRow,
      onBadRow(told) {
        const [index, ...key] = JSON.parse(told) as [number, ...(string | null)[]];
        const reason = `${columns[index]!.title} is larger than --max-value`;
        onBadRow(new BadRowError(nameRow(keys, key), reason));
      },
    });
    this.#cursors++;
    try {
      const session = await this.#takeSession();
      yield* readCopy(session, lines.statement, rows);
      this.#idle.push(session);
    } finally {
      this.#cursors--;
    }
  }

  async #takeSession(): Promise<PostgresSession> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const session = await this.#openSession(this.#snapshot);
    this.#sessions.add(session);
    if (!this.#isClosed) return session;
    await session.sql.end({ timeout: 0 });
    throw new Error(`${this.name} was closed`);
  }

  #keyOf(raw: RawRow): readonly string[] | undefined {
    if (!this.#selection.isResumable) return undefined;
    const { columns, shape } = this.#plan;
    return shape.key.map((_, index) => keyText(raw[columns.length + 1 + index]!));
  }

  #toRow(raw: RawRow): Value[] {
    const { columns, shape } = this.#plan;
    const fail = (title: string, reason: string) => {
      const keys = shape.key.length > 0 ? shape.key : columns.slice(0, 1);
      const values = shape.key.length > 0 ? raw.slice(columns.length + 1) : raw;
      const shown = keys.map((_, index) => values[index] ? textOf(values[index]!) : null);
      throw new BadRowError(nameRow(keys, shown), `${title} ${reason}`);
    };
    const tooLarge = raw[columns.length] ?? null;
    if (tooLarge !== null) {
      fail(columns[Number(textOf(tooLarge))]!.title, "is larger than --max-value");
    }
    return columns.map(({ title, type, convert }, index): Value => {
      const bytes = raw[index] ?? null;
      if (bytes === null) return null;
      const value = postgresValue(bytes, type);
      if (value === undefined) fail(title, "is text that is not valid");
      if (bytes.length > this.#selection.maxValueBytes && !longTypes.has(type)) {
        fail(title, "is larger than --max-value");
      }
      return convert === undefined ? value : convert(Number(textOf(bytes)));
    });
  }

  #select(part: Span | undefined, projection: boolean): string {
    const { shape, columns, time, partKey } = this.#plan;
    const most = this.#selection.maxValueBytes;
    const long = columns.flatMap(({ expression, type }, index) =>
      longTypes.has(type)
        ? [{ index, isLarge: `octet_length(${expression}::${castOf(type)}) > ${most}` }]
        : []
    );
    const isLarge = new Map(long.map(({ index, isLarge }) => [index, isLarge]));
    const place = time?.place ?? partKey;
    const selected = [
      ...columns.map(({ expression }, index) =>
        isLarge.has(index)
          ? `CASE WHEN ${isLarge.get(index)} THEN NULL ELSE ${expression} END`
          : expression
      ),
      long.length === 0
        ? "NULL"
        : `CASE ${long.map(({ index, isLarge }) => `WHEN ${isLarge} THEN ${index}`).join(" ")} END`,
      ...shape.key.map(({ expression }) => expression),
      ...(place === undefined ? [] : [place]),
      ...(projection ? [] : [shape.everything]),
    ];
    return `SELECT ${selected.join(", ")} ${this.#fromWhere(part)}`;
  }

  /** Where rows of a part are from, which they are, and in which order. */
  #fromWhere(part: Span | undefined): string {
    const { shape, time, partKey, order, span, isAfter } = this.#plan;
    const range = part ?? (time === undefined ? undefined : this.#wholePeriod() ?? span);
    const conditions = [
      ...(isAfter === undefined ? [] : [isAfter]),
      ...(range === undefined || (time === undefined && partKey === undefined) ? [] : [
        time?.isIn(range) ?? `(${partKey} >= ${range.from} AND ${partKey} < ${range.to})`,
      ]),
    ];
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    return `FROM ${shape.tables} ${where} ${order}`;
  }

  #wholePeriod(): Span | undefined {
    const { time } = this.#selection;
    return time === undefined ? undefined : { from: time.period.fromMs, to: time.period.toMs };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all(Array.from(this.#sessions, ({ sql }) => sql.end({ timeout: 0 })));
  }
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
    return new PostgresSource(name, openSession, first, {
      ...{ snapshot: row!.snapshot, selection, plan },
    });
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
