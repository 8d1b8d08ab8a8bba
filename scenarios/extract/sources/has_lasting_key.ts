import type { DatabaseSync } from "node:sqlite";

/** Whether a table's keys stay as they are: row numbers that no column holds change when VACUUM runs. */
export function hasLastingKey(database: DatabaseSync, table: string): boolean {
  const found = database.prepare(
    "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE",
  ).get(table);
  if (found?.type !== "table") return false;
  if (Number(found.wr) === 1) return true;
  const keys = database.prepare("SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0").all(table);
  // A primary key that is not the row number has an index of its own.
  const indexes = database.prepare("SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'");
  return keys.length === 1 && indexes.all(table).length === 0;
}
