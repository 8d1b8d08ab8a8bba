import type { DatabaseSync } from "node:sqlite";
import { quoteName } from "./quote_name.ts";
import { sqliteAffinity } from "./sqlite_affinity.ts";

/**
 * What SQLite makes of values that a column is given, `row` for a column that is the row number itself, `virtual` for
 * one that is computed as it is read.
 */
export type SqliteAffinity = "row" | "virtual" | ReturnType<typeof sqliteAffinity>;

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
  readonly hidden: number;
}

const isVirtual = 2;

/** The affinity of each column of a table with row numbers, by the expression that reads it. */
export function sqliteAffinities(
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
