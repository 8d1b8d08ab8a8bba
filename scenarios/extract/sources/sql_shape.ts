import type { Value } from "../value.ts";
import type { Span, TimeSelection } from "../source.ts";

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

/** Before 1973 in milliseconds; as seconds it is later than any data. */
const leastMs = 1e11;

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
export function isAfterKey(key: readonly SqlColumn[], literals: readonly string[]): string {
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

/** What a query reads from, without regard to the database. */
export interface SqlShape {
  /** What comes before SELECT. */
  readonly prelude: string;
  readonly tables: string;
  readonly columns: readonly SqlColumn[];
  /** What makes a row unique and orders rows that nothing else does; empty: nothing is known. */
  readonly key: readonly SqlColumn[];
  /** What more a query without projection fetches. */
  readonly everything: string;
}
