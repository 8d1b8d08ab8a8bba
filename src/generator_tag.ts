/** What a generator function is called by the language, "GeneratorFunction" or "AsyncGeneratorFunction"; nothing if `value` is none. */
export function generatorTag(value: unknown): string | undefined {
  if (typeof value !== "function") return undefined;
  const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  return typeof tag === "string" && tag.endsWith("GeneratorFunction") ? tag : undefined;
}

/** What an error message says of a generator function, and what to do with it. */
export function describeGenerator(tag: string): string {
  return tag[0] === "A"
    ? "an async generator function, which is a stage by itself"
    : "a generator function; use flatMap(fn)";
}
