import type { DatabaseSync } from "node:sqlite";
import type { TimeSelection } from "../selection.ts";
import type { Span } from "../span.ts";
import { numberTime, type SqlTime } from "./sql_time.ts";

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
export function sqliteTime(
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
