import { type LoadRecord, textOf } from "./target.ts";

/** More than any document has that was not made to do harm; the parser's memory is a hundred times what nests. */
const deepest = 1_000;

/** Ends of what stands in a text of JSON between two values. */
const quote = 34, comma = 44, backslash = 92, opening = 91, brace = 123;

/** Where a text ends that begins at `at`. */
function endOfText(json: string, at: number): number {
  let end = at;
  do {
    end = json.indexOf('"', end + 1);
    if (end < 0) return json.length;
  } while (isEscaped(json, end));
  return end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json.charCodeAt(before - 1) === backslash) before--;
  return (at - before) % 2 === 1;
}

/**
 * The values in an array of JSON, or names and values in an object in turn, each as it stands there.
 *
 * @throws {SyntaxError} If it is neither, or nests too deep.
 */
export function jsonParts(json: string): string[] {
  const start = json.search(/[^ \t\r\n]/);
  const first = json.charCodeAt(start);
  if (first !== opening && first !== brace) throw new SyntaxError("it is no array and no object");
  const parts: string[] = [];
  let depth = 0;
  let from = start + 1;
  const add = (to: number) => {
    const part = json.slice(from, to).trim();
    if (part !== "") parts.push(part);
    from = to + 1;
  };
  for (let at = start; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at) - 1;
    // Brackets and braces differ in one bit, and from those that close them by two.
    else if ((code | 32) === brace) {
      if (++depth > deepest) throw new SyntaxError(`it nests deeper than ${deepest}`);
    } else if ((code | 32) === brace + 2) {
      if (--depth === 0) add(at);
    } else if (depth === 1 && (code === comma || code === 58)) add(at);
  }
  // What is no JSON is found by the parser, which has no more to do than that.
  JSON.parse(json);
  return parts;
}

/** Columns of a table whose values are those of columns of the same table, in another row or the same. */
export interface Reference {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The values of some columns; `undefined`: one lacks, or is NULL. */
function valuesOf({ names, fields }: LoadRecord, columns: readonly string[]): string | undefined {
  const values = columns.map((column) => textOf(fields[names.indexOf(column)]));
  return values.includes(null) ? undefined : JSON.stringify(values);
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
