/** A timer that was set to be called again and again. */
export interface Interval {
  readonly ms: number;
  /** What it calls. */
  readonly tick: () => void;
}

/** Keeps the intervals that are set while `use` runs; they are called only by hand. */
export async function withIntervals(
  use: (running: ReadonlyMap<unknown, Interval>) => unknown,
): Promise<void> {
  const { setInterval: set, clearInterval: clear } = globalThis;
  const running = new Map<unknown, Interval>();
  let count = 0;
  Object.assign(globalThis, {
    setInterval(tick: () => void, ms: number) {
      running.set(++count, { tick, ms });
      return count;
    },
    clearInterval: (timer: unknown) => void running.delete(timer),
  });
  try {
    await use(running);
  } finally {
    Object.assign(globalThis, { setInterval: set, clearInterval: clear });
  }
}
