import { BadRowError, nameRow } from "../bad_row_error.ts";
import { chooseFields, findColumn } from "../choose_fields.ts";
import type { Value } from "../value.ts";
import type { Selection, Span, TimeSelection } from "../source.ts";

/** What is known of a field that holds times. */
export interface SqlTime {
  readonly field: string;
  /** The field in SQL. */
  readonly expression: string;
  /** The place of a row, in milliseconds since the epoch. */
  readonly place: string;
  /** Whether a row is in a part. */
  isIn(part: Span): string;
  /** Whether a row has no place. */
  readonly isUnplaced: string;
  /** What is wrong with a value that gives no place. */
  reasonOf(value: unknown): string;
  /** Whether an index on the field helps. */
  readonly isIndexable: boolean;
}

/** Before 1973 in milliseconds; as seconds it is later than any data. What is less is taken for seconds. */
const leastMs = 1e11;

/** The unit of a field of numbers, by the first of them. */
export function guessUnit(first: number | undefined): "ms" | "s" {
  return first !== undefined && Math.abs(first) < leastMs ? "s" : "ms";
}

const names = { ms: "milliseconds", s: "seconds" };

/**
 * Numbers of SQL in milliseconds or seconds. What is near the period in another unit is no time far from it: it is a
 * number of that unit among others.
 */
export function numberTime(
  expression: string,
  { field, period }: TimeSelection,
  unit: "ms" | "s",
  isNoNumber: string,
): SqlTime {
  const scale = unit === "s" ? 1000 : 1;
  const range = ({ from, to }: Span, factor: number) =>
    `(${expression} >= ${from / scale * factor} AND ${expression} < ${to / scale * factor})`;
  const span = { from: period.fromMs, to: period.toMs };
  const factors = unit === "ms" ? [1 / 1000, 1000] : [1000];
  const isOther = period.fromMs < leastMs ? [] : factors.map((factor) => range(span, factor));
  return {
    field,
    expression,
    place: scale === 1 ? expression : `${expression} * ${scale}`,
    isIn: (part) => range(part, 1),
    isUnplaced: [`${expression} IS NULL`, isNoNumber, ...isOther].filter(Boolean).join(" OR "),
    reasonOf(value) {
      if (value === null) return `${field} is NULL, so that it has no place in time`;
      if (typeof value !== "number" && typeof value !== "bigint") {
        const kind = typeof value === "string" ? "text" : "binary";
        return `${field} is ${kind}, not a number of ${names[unit]}`;
      }
      // Before or after all times: in no period, so that no one would miss it.
      if (!Number.isFinite(Number(value))) {
        return `${field} is infinite, so that it has no place in time`;
      }
      const isSmall = Number(value) * scale < period.fromMs;
      const other = unit === "s" ? "milliseconds" : isSmall ? "seconds" : "microseconds";
      return `${field} looks like ${other}, not ${names[unit]}`;
    },
    isIndexable: true,
  };
}

/** What is so of the rows after one, whose key is literals. */
function isAfterKey(key: readonly SqlColumn[], literals: readonly string[]): string {
  if (literals.length !== key.length) {
    throw new RangeError(`its key has ${key.length} columns, but ${literals.length} are known`);
  }
  const columns = key.map(({ expression }) => expression).join(", ");
  return `((${columns}) > (${literals.join(", ")}))`;
}

/** A query without the semicolon at its end, for it to stand in another. What follows that may be comments alone. */
export function oneStatement(sql: string): string {
  return sql.trim().replace(/;(?:\s|--[^\n]*(?:\n|$)|\/\*.*?\*\/)*$/s, "");
}

/** A text whose type is that of what it is compared with. */
export function quoteText(text: string): string {
  const quoted = text.replaceAll("'", "''");
  return text.includes("\\") ? ` E'${quoted.replaceAll("\\", "\\\\")}'` : `'${quoted}'`;
}

/** A name as SQL takes it, whatever is in it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A column of a query. */
export interface SqlColumn {
  readonly expression: string;
  readonly title: string;
  /** What its values are made, if they are not exported as they are. */
  readonly convert?: (value: Value) => Value;
}

/** A column of a table that is called `t`. */
export function tableColumn(name: string): SqlColumn {
  return { expression: `t.${quoteName(name)}`, title: name };
}

/** What a query reads from, without regard to the database. */
export interface SqlShape<Column extends SqlColumn = SqlColumn> {
  /** What comes before SELECT. */
  readonly prelude?: string;
  readonly tables: string;
  readonly columns: readonly Column[];
  /** What makes a row unique and orders rows that nothing else does; empty: nothing is known. */
  readonly key: readonly SqlColumn[];
  /** What more a query without projection fetches. */
  readonly everything: string;
}

/**
 * What is read of a query.
 *
 * @param names What it calls its columns, which are called by their position here: two may have one name.
 * @param place Puts the query where it belongs, by the name `q`.
 * @throws {RangeError} If it has none.
 */
export function queryShape(
  names: readonly string[],
  place: (columns: string) => Pick<SqlShape, "prelude" | "tables">,
): SqlShape {
  if (names.length === 0) throw new RangeError("the query gives no columns");
  return {
    ...place(`q(${names.map((_, index) => `c${index}`).join(", ")})`),
    columns: names.map((title, index) => ({ expression: `q.c${index}`, title })),
    key: [],
    everything: "q.*",
  };
}

/** How the rows of a selection are found, whatever the database. */
export interface SqlPlan<Column extends SqlColumn = SqlColumn> {
  readonly shape: SqlShape<Column>;
  /** What is exported. */
  readonly columns: readonly Column[];
  readonly time: SqlTime | undefined;
  /** What the parts are cut by, where it is not the time. */
  readonly partKey: string | undefined;
  /** Where a row lies in the span, if it has such a place. */
  readonly place: string | undefined;
  /** What rows are named by in messages. */
  readonly names: readonly SqlColumn[];
  /** What rows are known by for good, if they are ordered by nothing but it. */
  readonly lasting: readonly SqlColumn[];
  /** What is so of the rows after the one that reading goes on after. */
  readonly isAfter: string | undefined;
  /** The span that parts are cut from, where it is that of a period. */
  readonly period: Span | undefined;
  /** From where the rows of a part are, which they are, and in which order. */
  fromWhere(part: Span | undefined): string;
  /** Finds the rows that have no place in time: what they have for one, and what names them. */
  readonly unplaced: string | undefined;
  /** Such a row, by the values found. */
  unplacedRow(value: Value, key: readonly Value[]): BadRowError;
  /** Why parts cannot be cut, where they can by `means` alone. */
  notCut(means: string): string;
}

/** Plans how rows are found. */
export function planSql<Column extends SqlColumn>(
  shape: SqlShape<Column>,
  { from, fields, time: timed, orderBy, after }: Selection,
  { time, isPartKey, isLasting, literalOf, textOf = (expression) => expression }: {
    readonly time: SqlTime | undefined;
    /** Whether parts may be cut by a column that is the key. */
    isPartKey(key: SqlColumn): boolean;
    /** Whether the key of the table stays what it is. */
    readonly isLasting: boolean;
    /** What stands for a value of a key in a statement. */
    literalOf(kept: string): string;
    /** What a value is fetched as to be shown. */
    textOf?(expression: string): string;
  },
): SqlPlan<Column> {
  const known = shape.columns.map(({ title }) => title);
  const columns = chooseFields(fields, known)
    .map(({ index, title }) => ({ ...shape.columns[index]!, title }));
  const key = shape.key.map(({ expression }) => expression);
  const isOrdered = time !== undefined || orderBy !== undefined;
  const partKey = !isOrdered && key.length === 1 && isPartKey(shape.key[0]!) ? key[0] : undefined;
  const order =
    orderBy?.map(({ path, isDescending }) =>
      `${shape.columns[findColumn(path, known)]!.expression}${isDescending ? " DESC" : ""}`
    ) ?? (time === undefined ? [] : [time.isIndexable ? time.expression : time.place]);
  const period = timed && { from: timed.period.fromMs, to: timed.period.toMs };
  const isAfter = after && isAfterKey(shape.key, after.map(literalOf));
  const names = shape.key.length > 0 ? shape.key : shape.columns.slice(0, 1);
  return {
    ...{ shape, columns, time, partKey, isAfter, names },
    place: time?.place ?? partKey,
    lasting: from.kind === "table" && !isOrdered && isLasting ? shape.key : [],
    period: orderBy === undefined ? period : undefined,
    fromWhere(part) {
      const range = part ?? period;
      const isIn = range && (time?.isIn(range) ??
        (partKey && `(${partKey} >= ${range.from} AND ${partKey} < ${range.to})`));
      const conditions = [isAfter, isIn].filter((one) => one !== undefined).join(" AND ");
      const all = [...order, ...key].join(", ");
      return `FROM ${shape.tables}${conditions && ` WHERE ${conditions}`}${
        all && ` ORDER BY ${all}`
      }`;
    },
    unplaced: time &&
      `${shape.prelude ?? ""} SELECT ${
        [time, ...names].map(({ expression }) => textOf(expression)).join(", ")
      } FROM ${shape.tables} WHERE ${time.isUnplaced}`,
    unplacedRow: (value, key) => new BadRowError(nameRow(names, key), time!.reasonOf(value)),
    notCut: (means) =>
      orderBy !== undefined
        ? "parts follow each other by time or key, not as --order-by says"
        : from.kind === "query"
        ? "a query has no key that is known"
        : means,
  };
}
