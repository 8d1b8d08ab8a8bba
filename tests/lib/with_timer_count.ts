/** Counts the timers that are set and neither fired nor cleared, while `body` runs. */
export async function withTimerCount(
  body: (pending: () => number) => Promise<void>,
): Promise<void> {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const pending = new Set<unknown>();
  const counted = (callback: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) => {
    const timer = set(() => {
      pending.delete(timer);
      callback(...args);
    }, delay);
    pending.add(timer);
    return timer;
  };
  globalThis.setTimeout = counted as typeof setTimeout;
  globalThis.clearTimeout = ((timer?: number) => {
    pending.delete(timer);
    clear(timer);
  }) as typeof clearTimeout;
  try {
    await body(() => pending.size);
  } finally {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  }
}
