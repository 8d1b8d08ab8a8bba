import { throwTypeError } from "./errors.ts";

/** The longest delay that timers know; beyond it they fire at once. */
export const longestDelayMs = 2 ** 31 - 1;

/** Throws unless `value` is a time in milliseconds that a timer knows. */
export function checkDelay(action: string, name: string, value: unknown): void {
  const need = `a number from 0 to ${longestDelayMs}`;
  if (typeof value !== "number") throwTypeError(action, name, need, value);
  if (!(value >= 0 && value <= longestDelayMs)) {
    throw new RangeError(`Cannot ${action}: ${name} must be ${need}, got ${value}`);
  }
}
