import { asyncDispose } from "../async_dispose.ts";
import { longestDelayMs } from "../check_delay.ts";
import { checkFunction, checkOptions, throwTypeError } from "../errors.ts";
import { describeRuns } from "../inspect/print_pending_runs.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { anything, boolean, integer, readOptions } from "../read_options.ts";
import { deadTurns, nextTurn, progress, stillTurns } from "./activity.ts";
import {
  type CurrentTime,
  type RunOptions,
  setCurrentTime,
  type VirtualTime,
  type VirtualTimeOptions,
} from "./current_time.ts";

/** What a timer does when it is due. */
type TimerCallback = (...values: unknown[]) => unknown;

/** Whole milliseconds as timers count them: at least one, and one for what is no such time. */
function timerDelayMs(value: unknown): number {
  const ms = Math.trunc(Number(value));
  return ms >= 1 && ms <= longestDelayMs ? ms : 1;
}

/** A timer of a virtual clock, with what Node's and Bun's timers can do. */
class VirtualTimer {
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
class VirtualClock {
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

type Property = readonly [target: object, name: PropertyKey, value: unknown];
type Clear = (timer: unknown) => void;

interface Realm {
  readonly setTimeout: (callback: () => void) => unknown;
  readonly clearTimeout: Clear;
  readonly clearInterval: Clear;
  readonly setImmediate?: unknown;
  readonly clearImmediate?: Clear;
  readonly scheduler?: { readonly postTask?: unknown; readonly yield?: unknown };
}

interface TaskOptions {
  readonly delay?: number;
  readonly signal?: AbortSignal;
}

/** Timers and immediates of the clock; what a runtime gives as a number is one here, too. */
function timersOf(clock: VirtualClock): Property[] {
  const real = globalThis as unknown as Realm;
  const probe = real.setTimeout(() => {});
  real.clearTimeout(probe);
  const isNumber = typeof probe === "number";
  const set =
    (name: string, repeats: boolean) => (run: unknown, ms?: unknown, ...rest: unknown[]) => {
      const timer = clock.set(name, run, timerDelayMs(ms), rest, repeats);
      return isNumber ? timer.id : timer;
    };
  const clear = (other: Clear) => (timer?: unknown) => {
    if (!clock.clear(timer)) other(timer);
  };
  const properties: Property[] = [
    [globalThis, "setTimeout", set("setTimeout", false)],
    [globalThis, "setInterval", set("setInterval", true)],
    [globalThis, "clearTimeout", clear(real.clearTimeout)],
    [globalThis, "clearInterval", clear(real.clearInterval)],
  ];
  const { clearImmediate } = real;
  if (real.setImmediate === undefined || clearImmediate === undefined) return properties;
  return [
    ...properties,
    [
      globalThis,
      "setImmediate",
      (run: unknown, ...rest: unknown[]) => clock.setImmediate(run, rest),
    ],
    [globalThis, "clearImmediate", (id?: unknown) => {
      if (!clock.clearImmediate(id)) clearImmediate(id);
    }],
  ];
}

/** A `Date` whose instances are those of the real one, and whose now is the clock's. */
function dateOf(clock: VirtualClock, startsAtMs: number): DateConstructor {
  const now = () => startsAtMs + Math.trunc(clock.nowMs);
  return new Proxy(Date, {
    construct: (real, values, target) =>
      Reflect.construct(real, values.length === 0 ? [now()] : values, target),
    apply: (real) => new real(now()).toString(),
    get: (real, name, receiver) => name === "now" ? now : Reflect.get(real, name, receiver),
  });
}

function timeoutSignal(clock: VirtualClock): (ms: number) => AbortSignal {
  return (ms) => {
    const need = "an integer of at least 0";
    if (typeof ms !== "number") throwTypeError("call AbortSignal.timeout", "ms", need, ms);
    if (!(ms >= 0 && Number.isSafeInteger(Math.trunc(ms)))) {
      throw new RangeError(`Cannot call AbortSignal.timeout: ms must be ${need}, got ${ms}`);
    }
    const controller = new AbortController();
    clock.set(
      "AbortSignal.timeout",
      () => {
        controller.abort(new DOMException("The operation timed out.", "TimeoutError"));
      },
      ms,
      [],
    );
    return controller.signal;
  };
}

/** Does a task after a time, unless its signal aborts first. */
function postTask(clock: VirtualClock) {
  return <T>(task: () => T | PromiseLike<T>, { delay = 0, signal }: TaskOptions = {}): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const end = () => {
        clock.clear(timer);
        reject(signal!.reason);
      };
      const timer = clock.set(
        "scheduler.postTask",
        () => {
          signal?.removeEventListener("abort", end);
          resolve(new Promise<T>((settle) => settle(task())));
        },
        delay,
        [],
      );
      signal?.addEventListener("abort", end, { once: true });
    });
}

function schedulerOf(clock: VirtualClock): Property[] {
  const { scheduler } = globalThis as unknown as Realm;
  const properties: Property[] = [];
  if (scheduler?.postTask !== undefined) {
    properties.push([scheduler, "postTask", postTask(clock)]);
  }
  if (scheduler?.yield !== undefined) {
    const rest = () => new Promise<void>((resolve) => clock.setImmediate(resolve));
    properties.push([scheduler, "yield", rest]);
  }
  return properties;
}

/**
 * Puts the clock in place of the realm's time.
 *
 * @returns What puts the real one back.
 */
function replaceTime(clock: VirtualClock, startsAtMs: number): () => void {
  const properties: Property[] = [
    ...timersOf(clock),
    ...schedulerOf(clock),
    [globalThis, "Date", dateOf(clock, startsAtMs)],
    [performance, "now", () => clock.nowMs],
    [AbortSignal, "timeout", timeoutSignal(clock)],
  ];
  const before = properties.map(([target, name]) => Object.getOwnPropertyDescriptor(target, name));
  for (const [target, name, value] of properties) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
  return () => {
    properties.forEach(([target, name], place) => {
      const descriptor = before[place];
      if (descriptor === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, descriptor);
    });
  };
}

/** So many turns at most, if what happens never ends. */
const mostTurns = 1000;
/** The same where I/O may be under way: turns of a millisecond, so that a machine that stops for a while breaks nothing. */
const quietTurns = 20;

const realNow = performance.now.bind(performance);
const { setTimeout: setRealTimeout } = globalThis;
const nextMillisecond = () => new Promise<void>((resolve) => setRealTimeout(resolve, 1));

function checkTime(action: string, name: string, value: unknown, above: boolean): void {
  const need = `a number ${above ? "above" : "of at least"} 0`;
  if (typeof value !== "number") throwTypeError(action, name, need, value);
  if (!(above ? value > 0 : value >= 0) || value === Infinity) {
    throw new RangeError(`Cannot ${action}: ${name} must be ${need}, got ${value}`);
  }
}

/** The time of a realm while it is virtual. */
class HeldTime implements CurrentTime, VirtualTime {
  readonly #clock: VirtualClock;
  readonly #restore: () => void;
  #isOver = false;
  /** Callbacks of `setImmediate` in the present `run`. */
  #immediates = 0;
  isMoving = false;
  hasIo = false;

  constructor(clock: VirtualClock, restore: () => void) {
    this.#clock = clock;
    this.#restore = restore;
    setCurrentTime(this);
  }

  get now(): number {
    return this.#clock.nowMs;
  }

  get timers(): number {
    return this.#clock.timers;
  }

  async advance(ms: number): Promise<void> {
    checkTime("advance", "ms", ms, false);
    await this.#move("advance", async () => {
      const untilMs = this.now + ms;
      await this.#settle(stillTurns);
      for (let timer = this.#next(untilMs); timer !== undefined; timer = this.#next(untilMs)) {
        this.#clock.fire(timer);
        await this.#settle(stillTurns);
      }
      if (!this.#isOver) this.#clock.nowMs = untilMs;
    });
  }

  async run<T>(promise: PromiseLike<T>, options: RunOptions = {}): Promise<T> {
    const { io, limitMs, maxTimers } = readOptions("run", options, {
      io: boolean(false),
      limitMs: anything(5000),
      maxTimers: integer(10_000),
    });
    if (!isPromiseLike(promise)) throwTypeError("run", "promise", "a promise", promise);
    checkTime("run", "limitMs", limitMs, true);
    let isSettled = false;
    const end = () => void (isSettled = true);
    promise.then(end, end);
    await this.#move("run", async () => {
      this.hasIo = io;
      const untilRealMs = io ? realNow() + limitMs : Infinity;
      const isLate = () => realNow() >= untilRealMs;
      this.#immediates = 0;
      const isDone = () => isSettled || isLate() || this.#immediates >= maxTimers;
      for (let timers = 0;; timers++) {
        let timer: VirtualTimer | undefined;
        let mayMove: boolean;
        do {
          mayMove = !await this.#settle(deadTurns, isDone) || io;
          if (io) await this.#settle(quietTurns, isDone, nextMillisecond, Infinity);
          timer = this.#next(Infinity);
        } while (mayMove && timer === undefined && !isDone());
        if (isSettled) return;
        const fired = timers + this.#immediates;
        if (fired >= maxTimers) {
          throw new Error(
            `Cannot run: the promise has not settled after ${fired} timers and ${this.now} ms\n` +
              describeRuns().join("\n"),
          );
        }
        if (timer === undefined || isLate()) {
          const why = io
            ? `after ${limitMs} ms of real time`
            : "and nothing can move: no timer is set";
          throw new Error(
            `Cannot run: the promise has not settled, ${why}\n${describeRuns().join("\n")}`,
          );
        }
        this.#clock.fire(timer);
      }
    });
    return await promise;
  }

  at(atMs: number, callback: () => void): void {
    this.#clock.set("at", callback, Math.max(0, atMs - this.now));
  }

  restore(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    setCurrentTime(undefined);
    this.#restore();
  }

  [asyncDispose](): Promise<void> {
    this.restore();
    return Promise.resolve();
  }

  #next(untilMs: number): VirtualTimer | undefined {
    const timer = this.#isOver ? undefined : this.#clock.next();
    return timer !== undefined && timer.atMs <= untilMs ? timer : undefined;
  }

  async #move(action: string, go: () => Promise<void>): Promise<void> {
    if (this.#isOver) throw new Error(`Cannot ${action}: the real time is back`);
    if (this.isMoving) {
      throw new Error(`Cannot ${action}: the clock moves already; await what moves it`);
    }
    this.isMoving = true;
    try {
      await go();
    } finally {
      this.isMoving = this.hasIo = false;
    }
  }

  /**
   * Lets turns pass until nothing has happened in so many of them, or until it is done.
   *
   * @returns Whether it is done, or nothing has happened.
   */
  async #settle(
    turns: number,
    isDone = () => false,
    turn = nextTurn,
    most = mostTurns,
  ): Promise<boolean> {
    let last = progress();
    let still = 0;
    while (still < turns && !isDone()) {
      if (most-- === 0) return false;
      await turn();
      const immediate = this.#isOver ? undefined : this.#clock.takeImmediate();
      if (immediate !== undefined) this.#immediates++;
      immediate?.();
      const now = progress();
      still = immediate === undefined && now === last ? still + 1 : 0;
      last = now;
    }
    return true;
  }
}

/** Marks a realm whose time is virtual, for other copies of this module, too. */
const mark = Symbol.for("hosepipe.virtualTime");

/**
 * Replaces the realm's time by one that moves only as a test moves it, until it is disposed.
 *
 * Replaced are `setTimeout`, `setInterval`, `setImmediate` and what clears them, `Date`, `performance.now`,
 * `AbortSignal.timeout`, and `scheduler.postTask` and `scheduler.yield` where there are such. Not replaced: what was
 * taken from the realm before, as by `const { setTimeout } = globalThis`; what modules export, such as `node:timers` and
 * `node:timers/promises`; `process.hrtime`, `process.nextTick`, `Deno.cron`, `Bun.sleep`; and other realms, such as
 * workers.
 *
 * @param options `startsAt`: the date when it begins, as a `Date` or in milliseconds since 1970 (default: the beginning
 * of 2000, UTC, so that each run of a test sees the same).
 * @returns The time; `await using` puts the real one back at the end of the block, `restore` at once.
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If `startsAt` is not a date.
 * @throws {Error} If the realm's time is virtual already.
 *
 * @example A minute in no time
 * ```ts
 * import { interval, take, toArray } from "@hosepipe/streams";
 * import { virtualTime } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * await using time = virtualTime();
 * const ticks = await time.run(toArray(interval(20_000), take<number>(3)));
 *
 * assert.deepEqual([ticks, time.now], [[0, 1, 2], 60_000]);
 * ```
 */
export function virtualTime(options: VirtualTimeOptions = {}): VirtualTime {
  const action = "replace the time";
  checkOptions(action, options, ["startsAt"]);
  const { startsAt = Date.UTC(2000, 0) } = options;
  if (typeof startsAt !== "number" && !(startsAt instanceof Date)) {
    throwTypeError(action, "startsAt", "a Date or a number", startsAt);
  }
  const startsAtMs = new Date(startsAt).getTime();
  if (Number.isNaN(startsAtMs)) {
    throw new RangeError(`Cannot ${action}: startsAt must be a valid date, got ${startsAt}`);
  }
  if (Object.hasOwn(globalThis, mark)) {
    throw new Error(`Cannot ${action}: it is virtual already; dispose that one first`);
  }
  const clock = new VirtualClock();
  const restore = replaceTime(clock, startsAtMs);
  Object.defineProperty(globalThis, mark, { value: true, configurable: true });
  return new HeldTime(clock, () => {
    restore();
    Reflect.deleteProperty(globalThis, mark);
  });
}
