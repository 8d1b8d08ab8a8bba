import type { Sql } from "postgres";
import { quoteName } from "../extract/sources/quote_name.ts";
import type { LoadRecord } from "./load_record.ts";
import type { Reference } from "./references.ts";

/** A column by its type. */
export interface TypedColumn {
  readonly type: string;
}

/** A foreign key of the table to itself. */
export interface OwnReference extends Reference {
  /** What the constraint is called, there and in the table's partitions. */
  readonly constraints: readonly string[];
}

/** Rows that have the same columns, and their values as JSON. */
export interface Group {
  readonly rows: readonly LoadRecord[];
  readonly texts: readonly string[];
}

/** Puts the rows that have the same columns together. */
export function merge(groups: readonly Group[]): Group[] {
  const found = Map.groupBy(groups, ({ rows }) => JSON.stringify(rows[0]!.names));
  return Array.from(found.values(), (alike) => ({
    rows: alike.flatMap(({ rows }) => rows),
    texts: alike.flatMap(({ texts }) => texts),
  }));
}

/** The foreign keys of a table to itself. */
export async function ownReferences(sql: Sql, table: string): Promise<OwnReference[]> {
  const namesOf = (keys: string, relation: string) =>
    `to_json(ARRAY(SELECT attname::text FROM unnest(${keys}) WITH ORDINALITY AS k(n, o)
      JOIN pg_attribute ON attrelid = ${relation} AND attnum = n ORDER BY o))`;
  const found = await sql.unsafe(
    `WITH RECURSIVE copies(oid, own) AS (SELECT oid, oid FROM pg_constraint WHERE contype = 'f'
        UNION SELECT c.oid, own FROM pg_constraint c JOIN copies ON c.conparentid = copies.oid)
     SELECT to_json(ARRAY(SELECT conname::text FROM pg_constraint JOIN copies USING (oid)
        WHERE own = k.oid)) AS constraints, ${namesOf("conkey", "conrelid")} AS own,
      ${namesOf("confkey", "confrelid")} AS others FROM pg_constraint AS k
     WHERE conrelid = to_regclass($1) AND confrelid = conrelid AND contype = 'f'`,
    [table],
  );
  return found.map(({ constraints, own, others }) => ({ constraints, from: own, to: others }));
}

/** Finds the places of rows, each group's a parameter, that refer to one that is neither in the table nor among them. */
export function orphansQuery(
  groups: readonly Group[],
  references: readonly OwnReference[],
  table: string,
  types: ReadonlyMap<string, TypedColumn>,
): string {
  const used = [...new Set(references.flatMap(({ from, to }) => [...from, ...to]))];
  const columnOf = (name: string) => `c${used.indexOf(name)}`;
  let first = 0;
  const selects = groups.map(({ rows }, at) => {
    const values = used.map((name) => {
      const place = rows[0]!.names.indexOf(name);
      const value = place < 0 ? "NULL" : `(r ->> ${place})`;
      return `${value}::${types.get(name)!.type} AS ${columnOf(name)}`;
    });
    const select = `SELECT ${first} + n - 1 AS place, ${values} ` +
      `FROM json_array_elements($${at + 1}::text::json) WITH ORDINALITY AS all_rows(r, n)`;
    first += rows.length;
    return select;
  });
  const isOrphan = references.map(({ from, to }) => {
    const equals = (parent: string, columns: readonly string[]) =>
      columns.map((column, at) => `${parent}.${column} = w.${columnOf(from[at]!)}`).join(" AND ");
    const conditions = [
      ...from.map((name) => `w.${columnOf(name)} IS NOT NULL`),
      `NOT EXISTS (SELECT FROM ${table} AS t WHERE ${equals("t", to.map(quoteName))})`,
      `NOT EXISTS (SELECT FROM waiting AS o WHERE ${equals("o", to.map(columnOf))})`,
    ];
    return `(${conditions.join(" AND ")})`;
  });
  return `WITH waiting AS (${selects.join(" UNION ALL ")}) ` +
    `SELECT place::int FROM waiting AS w WHERE ${isOrphan.join(" OR ")}`;
}

/**
 * Inserts groups of rows, each a parameter. Foreign keys are looked at when all of a statement is done: rows of several
 * groups may refer to each other.
 */
export function insertStatement(
  groups: readonly Group[],
  table: string,
  types: ReadonlyMap<string, TypedColumn>,
): string {
  const inserts = groups.map(({ rows: [first] }, at) => {
    const { names } = first!;
    const values = names.map((name, place) => `(r ->> ${place})::${types.get(name)!.type}`);
    return `INSERT INTO ${table} (${names.map(quoteName)}) OVERRIDING SYSTEM VALUE ` +
      `SELECT ${values} FROM json_array_elements($${at + 1}::text::json) ` +
      "WITH ORDINALITY AS all_rows(r, n) ORDER BY n";
  });
  const others = inserts.slice(0, -1).map((insert, at) => `g${at} AS (${insert})`);
  return (others.length === 0 ? "" : `WITH ${others.join(", ")} `) + inserts.at(-1);
}
