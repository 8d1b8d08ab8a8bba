import { awaitable } from "./awaitable.ts";

/** Calls what reports and decides nothing: what it throws, or its promise is rejected with, is ignored. */
export function callQuietly<T>(report: (value: T) => unknown, value: T): void {
  try {
    awaitable(report(value))?.catch(() => {});
  } catch {
    // The same.
  }
}
