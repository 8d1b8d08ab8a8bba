import process from "node:process";

type Callback = () => void;
type Schedule = (callback: Callback) => unknown;

const own = globalThis as { setImmediate: Schedule };
const setOwnImmediate = own.setImmediate;
let waiting: Callback[] | undefined;

// The library keeps `setImmediate` for itself when it is loaded: this module must come before it.
own.setImmediate = (callback) => {
  if (waiting === undefined) return setOwnImmediate(callback);
  waiting.push(callback);
};

/** Fulfils once there is no microtask left, also of those that others have queued. */
async function drained(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
}

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  await drained();
  while (waiting !== undefined && waiting.length > 0) {
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) {
      callback();
      await drained();
    }
  }
}

interface Timer {
  readonly id: number;
  atMs: number;
  readonly everyMs: number | undefined;
  readonly callback: () => void;
}

/** Timers by when they fire; of those at one time the first that was set comes first. */
class TimerHeap {
  readonly #timers: Timer[] = [];

  push(timer: Timer): void {
    const timers = this.#timers;
    let place = timers.push(timer) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(timer, timers[parent]!)) break;
      timers[place] = timers[parent]!;
      place = parent;
    }
    timers[place] = timer;
  }

  pop(): Timer | undefined {
    const timers = this.#timers;
    const [first] = timers;
    const last = timers.pop();
    if (last === undefined || last === first) return first;
    let place = 0;
    for (let child = 1; child < timers.length; child = 2 * place + 1) {
      if (child + 1 < timers.length && isBefore(timers[child + 1]!, timers[child]!)) child++;
      if (!isBefore(timers[child]!, last)) break;
      timers[place] = timers[child]!;
      place = child;
    }
    timers[place] = last;
    return first;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.atMs === other.atMs ? one.id < other.id : one.atMs < other.atMs;
}

/** What is replaced while a simulation runs. */
export class VirtualClock {
  nowMs = 0;
  readonly #timers = new Map<number, Timer>();
  readonly #heap = new TimerHeap();
  #lastId = 1_000_000_000;

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Takes the place of the runtime's timers, turns, clock and chance while `run` goes on. */
  async during<R>(random: () => number, run: () => Promise<R>): Promise<R> {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const own = { setTimeout, clearTimeout, setInterval, clearInterval };
    const { now } = performance;
    const { random: ownRandom } = Math;
    const { stackTraceLimit } = Error;
    const set = (callback: () => void, ms = 0, isRepeated = false) => {
      const waitMs = Math.max(1, ms);
      const everyMs = isRepeated ? waitMs : undefined;
      const timer = { id: ++this.#lastId, atMs: this.nowMs + waitMs, everyMs, callback };
      this.#timers.set(timer.id, timer);
      this.#heap.push(timer);
      return timer.id;
    };
    const clear = (id?: unknown) => void (this.#timers.delete(id as number));
    Object.assign(globalThis, {
      setTimeout: (callback: () => void, ms?: number) => set(callback, ms),
      setInterval: (callback: () => void, ms?: number) => set(callback, ms, true),
      clearTimeout: clear,
      clearInterval: clear,
    });
    performance.now = () => this.nowMs;
    Math.random = random;
    // Thousands of failures are meant here: where they were made says nothing.
    Error.stackTraceLimit = 0;
    // A real turn of the event loop costs a call of the system: here it is only a place in a list.
    waiting = [];
    try {
      return await run();
    } finally {
      const left = waiting;
      waiting = undefined;
      for (const callback of left) setOwnImmediate(callback);
      Object.assign(globalThis, own);
      performance.now = now;
      Math.random = ownRandom;
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  /** Lets everything happen that needs no time. */
  settle(): Promise<void> {
    return settle();
  }

  /** Moves to the next timer and fires it; answers whether there was one. */
  async step(): Promise<boolean> {
    let next = this.#heap.pop();
    // Cleared ones are left where they are.
    while (next !== undefined && !this.#timers.has(next.id)) next = this.#heap.pop();
    if (next === undefined) return false;
    this.nowMs = next.atMs;
    if (next.everyMs === undefined) this.#timers.delete(next.id);
    else {
      next.atMs += next.everyMs;
      this.#heap.push(next);
    }
    next.callback();
    await this.settle();
    return true;
  }
}

/** Waits on the clock that is in place. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
