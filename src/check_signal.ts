import { throwTypeError } from "./errors.ts";

/** Tells whether `value` is an `AbortSignal`, of whatever realm. */
export function isSignal(value: unknown): value is AbortSignal {
  try {
    return typeof (value as AbortSignal).aborted === "boolean" &&
      typeof (value as AbortSignal).addEventListener === "function";
  } catch {
    // What only pretends to be one throws when it is asked.
    return false;
  }
}

/** Throws unless `value` is an `AbortSignal`. */
export function checkSignal(
  action: string,
  name: string,
  value: unknown,
): asserts value is AbortSignal {
  if (!isSignal(value)) throwTypeError(action, name, "an AbortSignal", value);
}
