/**
 * Lets every timer that is set while `use` runs fire at once, and notes for how long each was set.
 *
 * @returns Those times, in milliseconds.
 */
export async function withQuickTimers(use: () => Promise<unknown>): Promise<number[]> {
  const { setTimeout: set } = globalThis;
  const delays: number[] = [];
  globalThis.setTimeout = ((callback: () => void, ms: number) => {
    delays.push(ms);
    return set(callback, 0);
  }) as typeof setTimeout;
  try {
    await use();
  } finally {
    globalThis.setTimeout = set;
  }
  return delays;
}
