import { asyncDispose } from "../async_dispose.ts";
import { checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { describeRuns } from "../inspect/print_pending_runs.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { deadTurns, nextTurn, progress, stillTurns } from "./activity.ts";
import { type CurrentTime, setCurrentTime } from "./current_time.ts";
import type { VirtualClock, VirtualTimer } from "./virtual_clock.ts";
import type { RunOptions, VirtualTime } from "./virtual_time_types.ts";

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
export class HeldTime implements CurrentTime, VirtualTime {
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
    checkOptions("run", options, ["io", "limitMs", "maxTimers"]);
    if (!isPromiseLike(promise)) throwTypeError("run", "promise", "a promise", promise);
    const { io = false, limitMs = 5000, maxTimers = 10_000 } = options;
    if (typeof io !== "boolean") throwTypeError("run", "io", "a boolean", io);
    checkTime("run", "limitMs", limitMs, true);
    checkInteger("run", "maxTimers", maxTimers, 1);
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
