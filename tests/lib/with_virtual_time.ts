/** A clock and timers that move only as the test says. */
export interface VirtualTime {
  /** Milliseconds since the start. */
  readonly nowMs: number;
  /** How many timers are set. */
  readonly timers: number;
  /** Gives the event loop turns, then moves the clock, firing each timer in its turn. */
  pass(ms: number): Promise<void>;
}

/** Runs with a clock of its own in place of `performance.now` and `setTimeout`. */
export async function withVirtualTime(use: (time: VirtualTime) => Promise<void>): Promise<void> {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const { now } = performance;
  const timers = new Map<number, { readonly atMs: number; readonly callback: () => void }>();
  let nowMs = 0;
  let id = 1_000_000_000;
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
  performance.now = () => nowMs;
  globalThis.setTimeout = ((callback: () => void, ms = 0) => {
    timers.set(++id, { atMs: nowMs + Math.max(1, ms), callback });
    return id;
  }) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((timer?: number) => {
    if (!timers.delete(timer!)) clear(timer);
  }) as typeof clearTimeout;
  try {
    await use({
      get nowMs() {
        return nowMs;
      },
      get timers() {
        return timers.size;
      },
      async pass(ms) {
        const untilMs = nowMs + ms;
        await settle();
        while (true) {
          const due = [...timers].filter(([, { atMs }]) => atMs <= untilMs)
            .sort(([, a], [, b]) => a.atMs - b.atMs)[0];
          if (due === undefined) break;
          const [timer, { atMs, callback }] = due;
          timers.delete(timer);
          nowMs = Math.max(nowMs, atMs);
          callback();
          await settle();
        }
        nowMs = untilMs;
      },
    });
  } finally {
    performance.now = now;
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  }
}
