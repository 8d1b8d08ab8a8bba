import { checkDelay } from "../check_delay.ts";
import { checkSignal } from "../check_signal.ts";
import { checkFunction, checkInteger, checkOptions } from "../errors.ts";
import { Retrying } from "./retrying.ts";
import type { Source } from "./source_types.ts";

/** What `retry` tells the function that opens the source. */
export interface RetryAttempt<T> {
  /** 1, and one more for each failure since the last chunk. */
  readonly attempt: number;
  /** How many chunks have been delivered, over all attempts. */
  readonly delivered: number;
  /** The last chunk that was delivered; `undefined` before the first. */
  readonly last: T | undefined;
  /** Aborts when the stream is cancelled, or with the signal of the options. */
  readonly signal: AbortSignal;
}

/** When `retry` opens the source again, and when it gives up. */
export interface RetryOptions {
  /**
   * How many failures in a row, without a chunk between them, are too many: a positive integer or
   * `Infinity`. Default: 5.
   */
  attempts?: number;
  /**
   * Milliseconds to wait after a first failure, from 0 to 2,147,483,647; twice as long after each other in
   * a row. The wait is a random time between half of that and all of it. Default: 1000.
   */
  delayMs?: number;
  /** The longest wait in milliseconds, from 0 to 2,147,483,647. Default: 30,000. */
  maxDelayMs?: number;
  /** Gets a failure; answers, or promises, whether it is worth another attempt. Default: each is. */
  shouldRetry?: (reason: unknown) => boolean | PromiseLike<boolean>;
  /** Ends the stream, a wait included, with the signal's reason. Default: none. */
  signal?: AbortSignal;
}

/**
 * Opens a source, and opens it again from where it broke when it fails.
 *
 * `open` is called on the first read, and after each failure, its own included, once the wait is over. It
 * should give what follows the chunks that were delivered: these are never repeated by `retry`, nor held. A
 * source that ends, ends the stream. When the attempts are used up or `shouldRetry` says so, the last
 * failure is the stream's.
 *
 * @typeParam T The type of the chunks.
 * @param open Gets the attempt, what was delivered, and a signal; gives the source or a promise of it: a
 * `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or a `Request`.
 * @param options When to try again.
 * @returns A stream with a `highWaterMark` of 0. It fails with a `TypeError` if `open` gives no source.
 * @throws {TypeError} If `open` or `shouldRetry` is not a function, a number is not one, `signal` is not an
 * `AbortSignal`, or an option is unknown.
 * @throws {RangeError} If a number is out of range.
 *
 * @example A source that breaks
 * ```ts
 * import { retry } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const chunks = retry(async function* ({ attempt, delivered }) {
 *   yield delivered + 1;
 *   yield delivered + 2;
 *   if (attempt === 1) throw new Error("the connection is gone");
 * }, { delayMs: 1 });
 *
 * assertEquals(await Array.fromAsync(chunks), [1, 2, 3, 4]);
 * ```
 */
export function retry<T>(
  open: (attempt: RetryAttempt<T>) => Source<T> | PromiseLike<Source<T>>,
  options: RetryOptions = {},
): ReadableStream<T> {
  const action = "create retry";
  checkFunction(action, "open", open);
  const known = ["attempts", "delayMs", "maxDelayMs", "shouldRetry", "signal"];
  checkOptions(action, options, known);
  const { attempts = 5, delayMs = 1000, maxDelayMs = 30_000, shouldRetry, signal } = options;
  checkInteger(action, "attempts", attempts, 1, true);
  checkDelay(action, "delayMs", delayMs);
  checkDelay(action, "maxDelayMs", maxDelayMs);
  if (shouldRetry !== undefined) checkFunction(action, "shouldRetry", shouldRetry);
  if (signal !== undefined) checkSignal(action, "signal", signal);
  const plan = { attempts, delayMs, maxDelayMs, shouldRetry, signal };
  return new ReadableStream(new Retrying<T>(open, plan), { highWaterMark: 0 });
}
