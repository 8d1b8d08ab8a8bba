/** A thrown value as it travels between threads. */
export type CarriedError =
  | { readonly kind: "value"; readonly value: unknown }
  | {
    readonly kind: "error";
    readonly name: string;
    readonly className: string;
    readonly message: string;
    readonly stack: string | undefined;
    readonly cause: CarriedError | undefined;
    readonly errors: readonly CarriedError[] | undefined;
    readonly fields: Readonly<Record<string, unknown>>;
  };

/** A class of errors that a program names, so that what was thrown is an instance of it again. */
export type ErrorClass = abstract new (...args: never[]) => Error;

const maxDepth = 8;
const described = new Set(["name", "message", "stack", "cause", "errors"]);
const builtIn: Readonly<Record<string, ErrorConstructor>> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

function cloneable(value: unknown): { readonly value: unknown } | undefined {
  try {
    return { value: structuredClone(value) };
  } catch {
    return undefined;
  }
}

/** Makes of what was thrown what can be sent: name, message, stack, cause and own fields; what cannot be cloned is left out. */
export function carryError(thrown: unknown, depth = 0): CarriedError {
  try {
    return carry(thrown, depth);
  } catch {
    return carry(new Error("What was thrown cannot be read"), depth);
  }
}

function carry(thrown: unknown, depth: number): CarriedError {
  if (!(thrown instanceof Error)) {
    const copy = cloneable(thrown);
    if (copy !== undefined) return { kind: "value", value: copy.value };
    return carryError(new Error(`What was thrown cannot be sent: ${typeof thrown}`), depth);
  }
  const { name, message, stack, cause } = thrown;
  const { errors } = thrown as { errors?: unknown };
  const isDeep = depth >= maxDepth;
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(thrown)) {
    // As a field it would be another thing: whose error it is.
    if (described.has(key) || key === "__proto__") continue;
    const copy = cloneable(value);
    if (copy !== undefined) fields[key] = copy.value;
  }
  return {
    kind: "error",
    name: String(name),
    className: String(thrown.constructor?.name ?? "Error"),
    message: String(message),
    stack: stack === undefined ? undefined : String(stack),
    cause: Object.hasOwn(thrown, "cause") && !isDeep ? carryError(cause, depth + 1) : undefined,
    errors: Array.isArray(errors) && !isDeep
      ? errors.map((error) => carryError(error, depth + 1))
      : undefined,
    fields,
  };
}

/** Makes an error again of what was sent; one of `classes` is an instance of that class. */
export function reviveError(carried: CarriedError, classes: readonly ErrorClass[] = []): unknown {
  if (carried.kind === "value") return carried.value;
  const { name, className, message, stack, cause, errors, fields } = carried;
  const error = errors === undefined
    ? new (Object.hasOwn(builtIn, name) ? builtIn[name]! : Error)(message)
    : new AggregateError(errors.map((one) => reviveError(one, classes)), message);
  const known = classes.find((one) => one.name === className);
  if (known !== undefined) Object.setPrototypeOf(error, known.prototype);
  const define = (key: string, value: unknown) =>
    Object.defineProperty(error, key, { value, configurable: true, writable: true });
  if (error.name !== name) define("name", name);
  if (stack !== undefined) define("stack", stack);
  if (cause !== undefined) define("cause", reviveError(cause, classes));
  return Object.assign(error, fields);
}
