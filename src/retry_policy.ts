import { checkDelay } from "./check_delay.ts";
import { checkFunction, checkInteger } from "./errors.ts";

/** When something that failed is tried again. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly delayMs: number;
  readonly maxDelayMs: number;
  readonly shouldRetry: ((reason: unknown) => boolean | PromiseLike<boolean>) | undefined;
}

/** The names of the options that a policy is read from. */
export const retryOptionNames = ["attempts", "delayMs", "maxDelayMs", "shouldRetry"] as const;

/** Checks the options, and fills in the defaults. */
export function readRetryPolicy(
  action: string,
  options: { readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined },
): RetryPolicy {
  const { attempts = 5, delayMs = 1000, maxDelayMs = 30_000, shouldRetry } = options;
  checkInteger(action, "attempts", attempts, 1, true);
  checkDelay(action, "delayMs", delayMs);
  checkDelay(action, "maxDelayMs", maxDelayMs);
  if (shouldRetry !== undefined) checkFunction(action, "shouldRetry", shouldRetry);
  return { attempts, delayMs, maxDelayMs, shouldRetry };
}

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
