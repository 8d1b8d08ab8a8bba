import type { SqlColumn } from "./sql_shape.ts";

/** Columns whose peculiarities fit in one value: expressions have a depth that is bounded. */
const columnsPerFlag = 64;

/** What `sqliteValues` selects, and where it stands in a row. */
export interface SqliteValues {
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
export function sqliteValues(
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
export const flagWidth = columnsPerFlag;
