import { checkSignal } from "../check_signal.ts";
import { checkFunction, checkInteger, checkOptions } from "../errors.ts";
import { readRetryPolicy, retryOptionNames } from "../retry_policy.ts";
import type { RetryAttempt, RetryOptions } from "./retry_options.ts";
import { Retrying } from "./retrying.ts";
import type { Source } from "../source_types.ts";
import { namedStream } from "./named_stream.ts";

/**
 * Opens a source, and opens it again where it stopped when it fails.
 *
 * `open` is called on the first read, and after each failure, its own included, once the wait is over. It
 * should give what follows the chunks that were delivered: these are never repeated by `retry`, nor held. A
 * source that ends, ends the stream. When the attempts are used up or `shouldRetry` says so, the last
 * failure is the stream's.
 *
 * @typeParam T The type of the chunks.
 * @typeParam Last The type of the last chunk as `open` gets it. Default: `T`.
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
export function retry<T, Last = T>(
  open: (attempt: RetryAttempt<Last>) => Source<T> | PromiseLike<Source<T>>,
  options: RetryOptions = {},
): ReadableStream<T> {
  const action = "create retry";
  checkFunction(action, "open", open, true);
  checkOptions(action, options, [...retryOptionNames, "totalAttempts", "signal"]);
  const { totalAttempts = Infinity, attempts = options.totalAttempts, signal } = options;
  checkInteger(action, "totalAttempts", totalAttempts, 1, true);
  const plan = { ...readRetryPolicy(action, { ...options, attempts }), totalAttempts, signal };
  if (signal !== undefined) checkSignal(action, "signal", signal);
  return namedStream("retry", new Retrying<T>(open as never, plan));
}
