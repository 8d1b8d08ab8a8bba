import type { DatabaseSync, StatementSync } from "node:sqlite";
import { quoteName } from "../extract/sources/quote_name.ts";
import type { Reference } from "./references.ts";

/** A foreign key: columns of a row that another must have, in this table or another. */
export interface ForeignKey extends Reference {
  readonly isOwn: boolean;
  /** Finds such a row. */
  readonly statement: StatementSync;
}

/** The foreign keys of a table, those alone that lead somewhere. */
export function foreignKeys(database: DatabaseSync, table: string): ForeignKey[] {
  const list = database.prepare(
    'SELECT id, "table" AS parent, "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq',
  );
  const columnsOf = database.prepare("SELECT name, pk FROM pragma_table_xinfo(?) ORDER BY pk");
  const keys = Map.groupBy(list.all(table), ({ id }) => id);
  return [...keys.values()].flatMap((columns) => {
    const parent = String(columns[0]!.parent);
    const known = columnsOf.all(parent).map(({ name, pk }) => ({ name: String(name), pk }));
    const primary = known.filter(({ pk }) => Number(pk) > 0);
    const to = columns.map((column, at) => {
      const name = String(column.to ?? primary[at]?.name).toLowerCase();
      return known.find((one) => one.name.toLowerCase() === name)?.name;
    });
    if (!to.every((name) => name !== undefined)) return [];
    const isEqual = to.map((name) => `${quoteName(name)} = ?`).join(" AND ");
    return [{
      isOwn: parent.toLowerCase() === table.toLowerCase(),
      statement: database.prepare(`SELECT 1 FROM ${quoteName(parent)} WHERE ${isEqual}`),
      ...{ to, from: columns.map(({ from }) => String(from)) },
    }];
  });
}
