import { checkInteger } from "../src/errors.ts";

/** Checks a high-water mark, in chunks, and gives it in the form that node takes: a safe integer. */
export function checkHighWaterMark(
  action: string,
  value: unknown,
  name = "highWaterMark",
): number {
  if (value === undefined) return 1;
  checkInteger(action, name, value, 0, true);
  return Math.min(value as number, Number.MAX_SAFE_INTEGER);
}

/** Throws if a `size` function was given: node's object mode counts chunks and knows no other size. */
export function refuseSize(action: string, options: object): void {
  if ((options as { size?: unknown }).size === undefined) return;
  throw new TypeError(
    `Cannot ${action}: size is not supported by node:stream, whose object mode counts every chunk as 1`,
  );
}
