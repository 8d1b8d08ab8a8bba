import type { DatabaseSync } from "node:sqlite";
import type { Selection } from "../source.ts";
import { conversationShape } from "./conversation_shape.ts";
import { oneStatement, quoteName, type SqlColumn, type SqlShape } from "./sql_shape.ts";

interface TableRow {
  readonly type: string;
  readonly wr: number;
}

interface ColumnRow {
  readonly name: string;
  readonly pk: number;
}

function tableNames(database: DatabaseSync): string[] {
  const rows = database.prepare(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' " +
      "ORDER BY name",
  ).all();
  return rows.map(({ name }) => String(name));
}

function findTable(database: DatabaseSync, name: string): TableRow {
  const found = database.prepare(
    "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE",
  ).get(name) as unknown as TableRow | undefined;
  if (found !== undefined) return found;
  const known = tableNames(database).join(", ") || "none at all";
  throw new RangeError(`there is no table ${JSON.stringify(name)}, but ${known}`);
}

/** Names by which SQLite knows a row of any usual table. */
const rowNames = ["rowid", "_rowid_", "oid"];

function rowName(columns: readonly ColumnRow[]): string | undefined {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  return rowNames.find((name) => !taken.has(name));
}

function tableShape(database: DatabaseSync, table: string): SqlShape {
  const { type, wr } = findTable(database, table);
  const columns = database.prepare(
    "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid",
  ).all(table) as unknown as ColumnRow[];
  const toColumn = (name: string): SqlColumn => ({
    expression: `t.${quoteName(name)}`,
    title: name,
  });
  const primary = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  const row = type === "table" && wr === 0 ? rowName(columns) : undefined;
  return {
    prelude: "",
    tables: `main.${quoteName(table)} AS t`,
    columns: columns.map(({ name }) => toColumn(name)),
    key: row === undefined
      ? primary.map(({ name }) => toColumn(name))
      : [{ expression: `t.${row}`, title: row }],
    everything: "t.*",
  };
}

function queryShape(database: DatabaseSync, sql: string): SqlShape {
  const query = oneStatement(sql);
  const names = database.prepare(query).columns().map(({ name }) => name);
  if (names.length === 0) throw new RangeError("the query gives no columns");
  // Columns by their position: two may have one name.
  const places = names.map((_, index) => `c${index}`);
  return {
    // On lines of its own: a comment at its end must not swallow what follows.
    prelude: `WITH q(${places.join(", ")}) AS (\n${query}\n)`,
    tables: "q",
    columns: names.map((title, index) => ({ expression: `q.c${index}`, title })),
    key: [],
    everything: "q.*",
  };
}

/** Whether messages have a row number besides their id, as all tables but a few do. */
function messageKey(database: DatabaseSync): string | undefined {
  const { type, wr } = findTable(database, "messages");
  return type === "table" && wr === 0 ? "messages.rowid" : undefined;
}

/**
 * What a selection reads of an SQLite file.
 *
 * @throws {RangeError} If there is no such table, or the query is none.
 */
export function sqliteShape(database: DatabaseSync, from: Selection["from"]): SqlShape {
  switch (from.kind) {
    case "conversations":
      return conversationShape(messageKey(database));
    case "table":
      return tableShape(database, from.name);
    case "query":
      return queryShape(database, from.sql);
    case "collection":
      throw new RangeError("SQLite has tables, not collections: use --table or --query");
  }
}
