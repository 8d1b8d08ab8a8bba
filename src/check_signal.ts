import { throwTypeError } from "./errors.ts";

/** Tells whether `value` is an `AbortSignal`, of whatever realm. */
export function isSignal(value: unknown): value is AbortSignal {
  if (value === null || typeof value !== "object") return false;
  const { aborted, addEventListener } = value as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

/** Throws unless `value` is an `AbortSignal`. */
export function checkSignal(action: string, name: string, value: unknown): void {
  if (!isSignal(value)) throwTypeError(action, name, "an AbortSignal", value);
}
