import { longestDelayMs } from "../check_delay.ts";
import { checkFunction } from "../errors.ts";

/** What a timer does when it is due. */
export type TimerCallback = (...values: unknown[]) => unknown;

/** Whole milliseconds as timers count them: at least one, and one for what is no such time. */
export function timerDelayMs(value: unknown): number {
  const ms = Math.trunc(Number(value));
  return ms >= 1 && ms <= longestDelayMs ? ms : 1;
}

/** A timer of a virtual clock, with what Node's and Bun's timers can do. */
export class VirtualTimer {
  readonly #clock: VirtualClock;
  readonly #run: () => unknown;
  readonly id: number;
  readonly delayMs: number;
  readonly repeats: boolean;
  /** When it is due. */
  atMs = 0;
  #isRef = true;

  constructor(
    clock: VirtualClock,
    run: () => unknown,
    id: number,
    delayMs: number,
    repeats: boolean,
  ) {
    this.#clock = clock;
    this.#run = run;
    this.id = id;
    this.delayMs = delayMs;
    this.repeats = repeats;
  }

  fire(): void {
    this.#run();
  }

  ref(): this {
    this.#isRef = true;
    return this;
  }

  unref(): this {
    this.#isRef = false;
    return this;
  }

  hasRef(): boolean {
    return this.#isRef;
  }

  refresh(): this {
    this.#clock.start(this);
    return this;
  }

  close(): this {
    this.#clock.clear(this);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.id;
  }
}

if (Symbol.dispose !== undefined) {
  Object.defineProperty(VirtualTimer.prototype, Symbol.dispose, {
    value: VirtualTimer.prototype.close,
    configurable: true,
    writable: true,
  });
}

/** Far above the ids that a runtime gives, so that clearing a real timer never clears one of ours. */
const firstId = 1_000_000_000_000;

/** Time that stands still until it is moved, and what is due at some time. */
export class VirtualClock {
  nowMs = 0;
  #ids = firstId;
  /** In the order in which they were set: of two that are due at the same time the first one fires first. */
  readonly #timers = new Map<number, VirtualTimer>();
  #immediates = new Map<number, () => unknown>();

  /** How many timers and immediates are set. */
  get timers(): number {
    return this.#timers.size + this.#immediates.size;
  }

  set(
    name: string,
    callback: unknown,
    delayMs: number,
    values: unknown[] = [],
    repeats = false,
  ): VirtualTimer {
    checkFunction(`call ${name}`, "callback", callback, true);
    const run = () => (callback as TimerCallback)(...values);
    const timer = new VirtualTimer(this, run, ++this.#ids, delayMs, repeats);
    this.start(timer);
    return timer;
  }

  /** Counts the timer's time from now. */
  start(timer: VirtualTimer): void {
    timer.atMs = this.nowMs + timer.delayMs;
    this.#timers.delete(timer.id);
    this.#timers.set(timer.id, timer);
  }

  /** Forgets a timer, given as such or by its id; `false` if it is none of ours. */
  clear(timer: unknown): boolean {
    if (timer instanceof VirtualTimer) {
      this.#timers.delete(timer.id);
      return true;
    }
    const isId = typeof timer === "number" || typeof timer === "string";
    if (!isId || !(Number(timer) > firstId)) return false;
    this.#timers.delete(Number(timer));
    return true;
  }

  setImmediate(callback: unknown, values: unknown[] = []): number {
    checkFunction("call setImmediate", "callback", callback, true);
    this.#immediates.set(++this.#ids, () => (callback as TimerCallback)(...values));
    return this.#ids;
  }

  clearImmediate(id: unknown): boolean {
    return typeof id === "number" && this.#immediates.delete(id);
  }

  /** Takes the immediate that was set first. */
  takeImmediate(): (() => unknown) | undefined {
    for (const [id, run] of this.#immediates) {
      this.#immediates.delete(id);
      return run;
    }
  }

  /** The timer that is due next: of two at the same time the one that was set first. */
  next(): VirtualTimer | undefined {
    let next: VirtualTimer | undefined;
    for (const timer of this.#timers.values()) {
      if (next === undefined || timer.atMs < next.atMs) next = timer;
    }
    return next;
  }

  /** Moves to the time of a timer and fires it. */
  fire(timer: VirtualTimer): void {
    this.nowMs = Math.max(this.nowMs, timer.atMs);
    if (timer.repeats) this.start(timer);
    else this.#timers.delete(timer.id);
    timer.fire();
  }
}
