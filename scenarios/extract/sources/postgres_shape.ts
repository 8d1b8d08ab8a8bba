import type { Sql } from "postgres";
import type { Selection } from "../selection.ts";
import { conversationShape } from "./conversation_shape.ts";
import { oneStatement } from "./one_statement.ts";
import { quoteName } from "./quote_name.ts";
import type { SqlColumn, SqlShape } from "./sql_shape.ts";

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
export async function postgresShape(sql: Sql, from: Selection["from"]): Promise<SqlShape> {
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
