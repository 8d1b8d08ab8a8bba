/** The error of a source that has given nothing for too long. */
function stalled(name: string, timeoutMs: number): Error {
  return new Error(`${name} gave nothing for ${timeoutMs / 1000} s (see --timeout)`);
}

/**
 * Waits for `promise` no longer than `timeoutMs`.
 *
 * @throws {Error} If that has passed.
 * @throws The signal's reason, if it aborts.
 */
export async function limitWaits<Result>(
  promise: Promise<Result>,
  timeoutMs: number,
  name: string,
  signal?: AbortSignal,
): Promise<Result> {
  const { promise: end, reject } = Promise.withResolvers<never>();
  // What comes too late has nothing to receive it.
  for (const one of [promise, end]) one.catch(() => {});
  const timer = setTimeout(() => reject(stalled(name, timeoutMs)), timeoutMs);
  const abort = () => reject(signal!.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
