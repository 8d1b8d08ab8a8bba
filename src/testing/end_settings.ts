import { checkFunction, checkInteger, checkOptions } from "../errors.ts";
import { toStrategy } from "../strategy.ts";
import type { TestEndOptions } from "./test_end_types.ts";

/** How an end that a test holds is made. */
export interface EndSettings<T> {
  readonly strategy: QueuingStrategy<T>;
  readonly highWaterMark: number;
  readonly limitMs: number;
}

/** Checks the options that both ends have; `functions` are those of the one. */
export function readEndOptions<T>(
  action: string,
  options: TestEndOptions<T>,
  defaultMark: number,
  functions: readonly string[],
  more: readonly string[] = [],
): EndSettings<T> {
  checkOptions(action, options, ["highWaterMark", "size", "limitMs", ...functions, ...more]);
  const { highWaterMark = defaultMark, size, limitMs = 1000 } = options;
  const strategy = toStrategy<T>(action, { highWaterMark, size });
  checkInteger(action, "limitMs", limitMs, 1);
  for (const name of functions) {
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined) checkFunction(action, name, value);
  }
  return { strategy, highWaterMark, limitMs };
}

/** Throws where Node streams cannot do what is asked of them. */
export function checkNodeStrategy<T>(action: string, { strategy }: EndSettings<T>): void {
  if (strategy.size === undefined) return;
  throw new TypeError(
    `Cannot ${action}: size is not supported by node:stream, whose object mode counts every chunk as 1`,
  );
}

/** A Node stream that is destroyed without an error has not failed. */
export function checkNodeReason(action: string, reason: unknown): void {
  if (reason instanceof Error) return;
  throw new TypeError(`Cannot ${action}: a Node stream fails with an Error only`);
}

/** A mark that Node takes: a safe integer. */
export function nodeMark(highWaterMark: number): number {
  return Math.min(Math.floor(highWaterMark), Number.MAX_SAFE_INTEGER);
}
