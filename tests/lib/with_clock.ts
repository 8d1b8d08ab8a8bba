/** Runs while `performance.now` is this. */
export async function withClock<T>(now: () => number, run: () => T | Promise<T>): Promise<T> {
  const { now: real } = performance;
  performance.now = now;
  try {
    return await run();
  } finally {
    performance.now = real;
  }
}
