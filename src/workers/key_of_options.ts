/** How long a key may be: what is larger is not looked through for each run. */
const longestKey = 10_000;

function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) {
    return value.every(isPlain) && Object.keys(value).length === value.length;
  }
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return false;
  // A method of this name would change what the key says, and a symbol is not in it.
  return !("toJSON" in value) && Object.getOwnPropertySymbols(value).length === 0 &&
    Object.values(value).every(isPlain);
}

/** A text that is the same for equal options; `undefined` if JSON cannot tell whether they are. */
export function keyOfOptions(options: unknown): string | undefined {
  if (options === undefined) return "";
  try {
    // Of what refers to itself there is none.
    const key = JSON.stringify(options);
    return key !== undefined && key.length <= longestKey && isPlain(options) ? key : undefined;
  } catch {
    return undefined;
  }
}
