/** What `retry` passes to the function that opens the source. */
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
   * `Infinity`. Default: `totalAttempts`, or 5.
   */
  attempts?: number | undefined;
  /**
   * How often the source is opened at most, chunks between the failures or not: a positive integer or `Infinity`.
   * Default: `Infinity`.
   */
  totalAttempts?: number | undefined;
  /**
   * Milliseconds to wait after a first failure, from 0 to 2,147,483,647; twice as long after each other in
   * a row. The wait is a random time between half of that and all of it. Default: 1000.
   */
  delayMs?: number | undefined;
  /** The longest wait in milliseconds, from 0 to 2,147,483,647. Default: 30,000. */
  maxDelayMs?: number | undefined;
  /** Given a failure, returns or promises whether to try again. Default: always. */
  shouldRetry?: ((reason: unknown) => boolean | PromiseLike<boolean>) | undefined;
  /** Ends the stream, a wait included, with the signal's reason. Default: none. */
  signal?: AbortSignal | undefined;
}
