/** The value at a path of a document; of what an array holds, where the path leads through one, an array. */
export function fieldAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const [index, name] of path.entries()) {
    if (Array.isArray(value) && !/^\d+$/.test(name)) {
      return value.map((one) => fieldAt(one, path.slice(index)));
    }
    if (typeof value !== "object" || value === null) return undefined;
    if (!Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}
