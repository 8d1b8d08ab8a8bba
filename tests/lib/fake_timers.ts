/** What moves the replaced time. */
export interface FakeTimers {
  /** Runs what is due, one timer in each task of the event loop, until there is none, as sinon's function does. */
  runAllAsync(): Promise<void>;
}

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
  readonly everyMs?: number | undefined;
}

/**
 * Replaces timers, clocks and microtasks while `use` runs, as sinon's fake timers do, which Vitest and Jest have, too;
 * `performance.now` only if it `replacesClock`.
 */
export async function withFakeTimers<T>(
  use: (timers: FakeTimers) => Promise<T>,
  replacesClock = true,
): Promise<T> {
  const real = { ...pick(globalThis), now: performance.now };
  const timers = new Map<number, Timer>();
  const tasks: (() => void)[] = [];
  let nowMs = 0;
  let lastId = 0;
  const set = (callback: () => void, ms = 0, everyMs?: number): number => {
    timers.set(++lastId, { atMs: nowMs + ms, callback, everyMs });
    return lastId;
  };
  const clear = (id: number): void => void timers.delete(id);
  class FakeDate extends Date {
    static override now = () => nowMs;
  }
  Object.assign(globalThis, {
    setTimeout: (callback: () => void, ms?: number) => set(callback, ms),
    setInterval: (callback: () => void, ms = 1) => set(callback, ms, ms),
    setImmediate: (callback: () => void) => set(callback),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    queueMicrotask: (task: () => void) => void tasks.push(task),
    Date: FakeDate,
  });
  if (replacesClock) performance.now = () => nowMs;

  const runNext = (): void => {
    const [id, timer] = [...timers].reduce((first, each) =>
      each[1].atMs < first[1].atMs ? each : first
    );
    nowMs = Math.max(nowMs, timer.atMs);
    const { callback, everyMs } = timer;
    if (everyMs === undefined) timers.delete(id);
    else timers.set(id, { ...timer, atMs: nowMs + everyMs });
    callback();
  };
  const runAllAsync = async (): Promise<void> => {
    while (true) {
      await new Promise<void>((resolve) => (real.setImmediate as typeof queueMicrotask)(resolve));
      for (const task of tasks.splice(0)) task();
      if (timers.size === 0) return;
      runNext();
    }
  };
  try {
    return await use({ runAllAsync });
  } finally {
    performance.now = real.now;
    const { now: _, ...rest } = real;
    Object.assign(globalThis, rest);
  }
}

function pick(realm: typeof globalThis) {
  const { setTimeout, setInterval, clearTimeout, clearInterval, queueMicrotask, Date } = realm;
  const { setImmediate, clearImmediate } = realm as unknown as Record<string, unknown>;
  const all = { setTimeout, setInterval, clearTimeout, clearInterval, queueMicrotask, Date };
  return { ...all, setImmediate, clearImmediate };
}
