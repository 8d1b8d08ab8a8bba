/**
 * Turns a value into the words an error message shows: strings quoted, objects by their kind.
 */
function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (value === null || typeof value !== "object") return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}

/** Throws the `TypeError` of a value of the wrong type: «Cannot create map: fn must be a function, got 5». */
export function throwTypeError(action: string, name: string, need: string, value: unknown): never {
  throw new TypeError(`Cannot ${action}: ${name} must be ${need}, got ${show(value)}`);
}

/** Throws unless `value` is a function. */
export function checkFunction(action: string, name: string, value: unknown): void {
  if (typeof value !== "function") throwTypeError(action, name, "a function", value);
}

/** Throws unless `value` is an integer of at least `minimum` (or `Infinity` where `unbounded`). */
export function checkInteger(
  action: string,
  name: string,
  value: unknown,
  minimum: 0 | 1,
  unbounded = false,
): void {
  const need = minimum === 1 ? "a positive integer" : "a non-negative integer";
  if (typeof value !== "number") throwTypeError(action, name, need, value);
  if (unbounded && value === Infinity) return;
  if (!Number.isSafeInteger(value) || value < minimum) {
    throw new RangeError(`Cannot ${action}: ${name} must be ${need}, got ${value}`);
  }
}

/** Throws if `options` is not an object or has a key that is not among `known`. */
export function checkOptions(action: string, options: unknown, known: readonly string[]): void {
  if (options === undefined) return;
  if (options === null || typeof options !== "object") {
    throwTypeError(action, "options", "an object", options);
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) {
      throw new TypeError(
        `Cannot ${action}: unknown option ${JSON.stringify(key)}, known are ${known.join(", ")}`,
      );
    }
  }
}
