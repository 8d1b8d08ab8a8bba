import type { Field } from "./source.ts";

/**
 * Finds the columns that are asked for, by their names as they are or, if there is just one, without regard to case.
 *
 * @throws {RangeError} If there is no such column, with those there are.
 */
export function chooseFields(
  fields: readonly Field[] | undefined,
  known: readonly string[],
): { readonly index: number; readonly title: string }[] {
  if (fields === undefined) return known.map((title, index) => ({ index, title }));
  return fields.map(({ path, title }) => ({ index: findColumn(path, known), title }));
}

/**
 * Finds a column.
 *
 * @throws {RangeError} If there is no such column, with those there are.
 */
export function findColumn(path: string, known: readonly string[]): number {
  const exact = known.indexOf(path);
  if (exact >= 0) return exact;
  const similar = known.filter((name) => name.toLowerCase() === path.toLowerCase());
  if (similar.length === 1) return known.indexOf(similar[0]!);
  throw new RangeError(`there is no column ${JSON.stringify(path)}, but ${known.join(", ")}`);
}
