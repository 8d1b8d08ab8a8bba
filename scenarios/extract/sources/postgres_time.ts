import type { TimeSelection } from "../selection.ts";
import type { Span } from "../span.ts";
import { postgresTypes } from "./postgres_value.ts";
import { numberTime, type SqlTime } from "./sql_time.ts";

const { timestamptz, timestamp, date, int2, int4, int8, float4, float8, numeric } = postgresTypes;
const numbers: readonly number[] = [int2, int4, int8, float4, float8, numeric];
const fractions: readonly number[] = [float4, float8, numeric];

/** Below this a number of the first row is taken for seconds. */
const leastMs = 1e11;

/**
 * How rows are placed by a column of a type of PostgreSQL; one without a time zone is of UTC.
 *
 * @param first A number of that column, to see what numbers are.
 * @throws {RangeError} If the type is none of times or numbers.
 */
export function postgresTime(
  expression: string,
  type: number,
  time: TimeSelection,
  first: number | undefined,
): SqlTime {
  const { field } = time;
  if (numbers.includes(type)) {
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
