/** What happens to a chunk that failed: the stream fails, or goes on without it or with another. */
export type AttemptAnswer<Other> = "fail" | "skip" | { readonly chunk: Other };

/** When `attempt` tries a chunk again, and what it does if that does not help. */
export interface AttemptOptions<I, Other = never> {
  /** How often a chunk is tried, the first time included: a positive integer or `Infinity`. Default: 5. */
  attempts?: number | undefined;
  /**
   * Milliseconds to wait after a first failure, from 0 to 2,147,483,647; twice as long after each other of
   * the same chunk. The wait is a random time between half of that and all of it. Default: 1000.
   */
  delayMs?: number | undefined;
  /** The longest wait in milliseconds, from 0 to 2,147,483,647. Default: 30,000. */
  maxDelayMs?: number | undefined;
  /** Given a failure, returns or promises whether to try again. Default: always. */
  shouldRetry?: ((reason: unknown) => boolean | PromiseLike<boolean>) | undefined;
  /**
   * Given the last failure, the chunk as it came and its index, returns or promises what happens: `"fail"` fails the
   * stream with that failure, `"skip"` goes on without the chunk, `{ chunk }` goes on with another. It is waited for, so
   * it may store the chunk elsewhere first. Default: `"fail"`.
   */
  onError?:
    | ((
      reason: unknown,
      chunk: I,
      index: number,
      // The compiler takes what an async function returns for any string.
    ) => AttemptAnswer<Other> | PromiseLike<AttemptAnswer<Other> | string>)
    | undefined;
}
