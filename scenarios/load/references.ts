import type { LoadRecord } from "./load_record.ts";

/** Columns of a table whose values are those of columns of the same table, in another row or the same. */
export interface Reference {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The values of some columns; `undefined`: one lacks, or is NULL. */
function valuesOf({ names, fields }: LoadRecord, columns: readonly string[]): string | undefined {
  const values = columns.map((column) => {
    const field = fields[names.indexOf(column)] ?? null;
    return typeof field === "string" ? field : field?.text;
  });
  return values.includes(undefined) ? undefined : JSON.stringify(values);
}

/**
 * Adds to rows that cannot be loaded those that refer to nothing but them, and so on: one after the other they would
 * take a round each.
 *
 * @param waiting Rows of which none refers to one that is in the table.
 * @param orphans The places of those that cannot be loaded.
 */
export function withDescendants(
  waiting: readonly LoadRecord[],
  references: readonly Reference[],
  orphans: ReadonlySet<number>,
): Set<number> {
  const found = new Set(orphans);
  const todo = [...orphans];
  const indexes = references.map(({ from, to }) => {
    const parents = new Map<string, number>();
    const children = new Map<string, number[]>();
    waiting.forEach((row, place) => {
      const key = valuesOf(row, to);
      if (key !== undefined) parents.set(key, (parents.get(key) ?? 0) + 1);
      const own = valuesOf(row, from);
      if (own === undefined) return;
      const siblings = children.get(own);
      if (siblings === undefined) children.set(own, [place]);
      else siblings.push(place);
    });
    return { to, parents, children };
  });
  for (let place = todo.pop(); place !== undefined; place = todo.pop()) {
    for (const { to, parents, children } of indexes) {
      const key = valuesOf(waiting[place]!, to);
      if (key === undefined) continue;
      const left = parents.get(key)! - 1;
      parents.set(key, left);
      for (const child of left === 0 ? children.get(key) ?? [] : []) {
        if (!found.has(child)) todo.push(child);
        found.add(child);
      }
    }
  }
  return found;
}
