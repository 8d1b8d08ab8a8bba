import type { SqlColumn } from "./sql_shape.ts";

/** What is so of the rows after one, whose key is literals. */
export function isAfterKey(key: readonly SqlColumn[], literals: readonly string[]): string {
  if (literals.length !== key.length) {
    throw new RangeError(`its key has ${key.length} columns, but ${literals.length} are known`);
  }
  const columns = key.map(({ expression }) => expression).join(", ");
  return `((${columns}) > (${literals.join(", ")}))`;
}
