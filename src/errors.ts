import { describeGenerator, generatorTag } from "./generator_tag.ts";
import { isBytes } from "./is_bytes.ts";
import { isPromiseLike } from "./is_promise_like.ts";

/** The words that an error message has for a value: strings quoted, objects by what they are. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n (a BigInt)`;
  if (typeof value === "function") return "a function";
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return "an array";
  if (isPromiseLike(value)) return "a promise";
  if (value instanceof Uint8Array && !isBytes(value)) return "a detached Uint8Array";
  const members = value as Record<string, unknown>;
  const isNodeStream = typeof members.pipe === "function" || typeof members.cork === "function";
  if (isNodeStream && typeof members.on === "function") return "a Node stream";
  const tag = (members as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  return typeof tag === "string" && tag !== "" && tag !== "Object"
    ? `${/^(?:[AEIO]|U(?!int|RL))/.test(tag) ? "an" : "a"} ${tag}`
    : "an object";
}

/** Throws the `TypeError` of a value of the wrong type: "Cannot create map: fn must be a function, got 5". */
export function throwTypeError(action: string, name: string, need: string, value: unknown): never {
  throw new TypeError(`Cannot ${action}: ${name} must be ${need}, got ${describeValue(value)}`);
}

/** Throws unless `value` is a function; one that makes a generator is none, unless it may. */
export function checkFunction(
  action: string,
  name: string,
  value: unknown,
  mayGenerate = false,
): void {
  if (typeof value !== "function") throwTypeError(action, name, "a function", value);
  const tag = mayGenerate ? undefined : generatorTag(value);
  if (tag !== undefined) {
    throw new TypeError(`Cannot ${action}: ${name} must not be ${describeGenerator(tag)}`);
  }
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

/** Throws unless `value` is `true` or `false`. */
export function checkBoolean(
  action: string,
  name: string,
  value: unknown,
): asserts value is boolean {
  if (typeof value !== "boolean") throwTypeError(action, name, "a boolean", value);
}

/** Throws unless `value` is one of those: "Cannot create take: atLimit must be "end" or "fail", got "stop"". */
export function checkOneOf(
  action: string,
  name: string,
  value: unknown,
  known: readonly unknown[],
): void {
  if (known.includes(value)) return;
  const names = known.map((one) => JSON.stringify(one));
  throwTypeError(action, name, `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`, value);
}

/** Whether a name was probably meant by another: but for two letters, and their order, they are the same. */
function isLike(name: string, other: string): boolean {
  let left = other.toLowerCase();
  let more = 0;
  for (const letter of name.toLowerCase()) {
    if (left.includes(letter)) left = left.replace(letter, "");
    else more++;
  }
  return more + left.length <= Math.min(2, other.length >> 1);
}

/** Throws if `options` is not an object or has a key that is not among `known`. */
export function checkOptions(action: string, options: unknown, known: readonly string[]): void {
  if (options === undefined) return;
  if (options === null || typeof options !== "object") {
    throwTypeError(action, "options", "an object", options);
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) {
      const meant = known.find((name) => isLike(key, name));
      throw new TypeError(
        `Cannot ${action}: unknown option ${JSON.stringify(key)}; ` +
          (meant === undefined
            ? `the options are ${known.join(", ")}`
            : `did you mean "${meant}"?`),
      );
    }
  }
}
