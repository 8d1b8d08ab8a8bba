import type { TimeSelection } from "../selection.ts";
import type { Span } from "../span.ts";

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
