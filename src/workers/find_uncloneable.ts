/** Where in `value` the first thing is that cannot be cloned, as a path with what stands there; `undefined` if nothing is. */
export function findUncloneable(value: unknown, name: string): string | undefined {
  const seen = new Set<unknown>();
  const visit = (part: unknown, path: string): string | undefined => {
    if (typeof part === "function") return `${path} is a function`;
    if (typeof part === "symbol") return `${path} is a symbol`;
    if (part === null || typeof part !== "object" || seen.has(part)) return undefined;
    seen.add(part);
    const entries: Iterable<[unknown, unknown]> = part instanceof Map
      ? part
      : part instanceof Set
      ? [...part].map((entry, index) => [index, entry])
      : Object.entries(part);
    if (!ArrayBuffer.isView(part)) {
      for (const [key, entry] of entries) {
        const found = visit(entry, Array.isArray(part) ? `${path}[${key}]` : `${path}.${key}`);
        if (found !== undefined) return found;
      }
    }
    try {
      structuredClone(part);
    } catch {
      return `${path} is an object that cannot be cloned`;
    }
    return undefined;
  };
  return visit(value, name);
}
