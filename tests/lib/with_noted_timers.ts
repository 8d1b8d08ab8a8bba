type Set = (callback: () => void, ms: number) => unknown;

/**
 * Notes for how long each timer is set while `use` runs.
 *
 * @param schedule Sets a timer in its place, by `set`; default: as it was asked for.
 * @returns Those times, in milliseconds.
 */
export async function withNotedTimers(
  use: () => unknown,
  schedule: (set: Set, callback: () => void, ms: number) => unknown = (set, callback, ms) =>
    set(callback, ms),
): Promise<number[]> {
  const { setTimeout: set } = globalThis;
  const delays: number[] = [];
  globalThis.setTimeout = ((callback: () => void, ms: number) => {
    delays.push(ms);
    return schedule(set, callback, ms);
  }) as typeof setTimeout;
  try {
    await use();
  } finally {
    globalThis.setTimeout = set;
  }
  return delays;
}
