import { callback, delay, integer, type OptionReader } from "./read_options.ts";

/** When something that failed is tried again. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly delayMs: number;
  readonly maxDelayMs: number;
  readonly shouldRetry: ((reason: unknown) => boolean | PromiseLike<boolean>) | undefined;
}

/** Reads a policy of options, with so many attempts by default. */
export const retryReaders = (
  attempts = 5,
): {
  [Name in keyof RetryPolicy]: OptionReader<Name extends "shouldRetry" ? undefined : number>;
} => ({
  attempts: integer(attempts, 1, true),
  delayMs: delay(1000),
  maxDelayMs: delay(30_000),
  shouldRetry: callback(),
});

/** Whether to try again after so many failures in a row, of which `reason` is the last. */
export async function mayRetry(
  { attempts, shouldRetry }: RetryPolicy,
  failures: number,
  reason: unknown,
): Promise<boolean> {
  return failures < attempts && (shouldRetry === undefined || Boolean(await shouldRetry(reason)));
}

/** How long to wait after so many failures in a row: a random time, so that not all come back at once. */
export function waitMsAfter({ delayMs, maxDelayMs }: RetryPolicy, failures: number): number {
  const longestMs = Math.min(maxDelayMs, delayMs * 2 ** Math.min(failures - 1, 31));
  return longestMs * (1 + Math.random()) / 2;
}
