import { asyncDispose } from "../async_dispose.ts";
import { checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { yieldTurn } from "../engine/turn_budget.ts";
import { printPendingRuns } from "../failures/print_pending_runs.ts";
import { pendingRuns } from "../failures/pending_runs.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import type { VirtualClock } from "./virtual_clock.ts";
import type { RunOptions, VirtualTime } from "./virtual_time_types.ts";

/** Turns of the event loop without a sign of life after which what can happen has happened. */
const stillTurns = 5;
/** The same before a run is said to hang. */
const deadTurns = 50;
/** So many turns at most, if what happens never ends. */
const mostTurns = 1000;
/** So long nothing may have happened for I/O to be over, in real time. */
const quietMs = 20;

const realNow = performance.now.bind(performance);
const nextTurn = () => new Promise<void>((resolve) => yieldTurn(resolve));

function checkTime(action: string, name: string, value: unknown, above: boolean): void {
  const need = `a number ${above ? "above" : "of at least"} 0`;
  if (typeof value !== "number") throwTypeError(action, name, need, value);
  if (!(above ? value > 0 : value >= 0) || value === Infinity) {
    throw new RangeError(`Cannot ${action}: ${name} must be ${need}, got ${value}`);
  }
}

/** How far the runs are, to see whether one moves. */
function progress(): string {
  return pendingRuns().map(({ chunksRead, chunksWritten }) => `${chunksRead} ${chunksWritten}`)
    .join();
}

function describeRuns(): string {
  const lines: string[] = [];
  printPendingRuns((line) => lines.push(line));
  return lines.join("\n");
}

/** The time of a realm while it is virtual. */
export class HeldTime implements VirtualTime {
  readonly #clock: VirtualClock;
  readonly #restore: () => void;
  #isOver = false;
  #isMoving = false;

  constructor(clock: VirtualClock, restore: () => void) {
    this.#clock = clock;
    this.#restore = restore;
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
      const untilRealMs = realNow() + limitMs;
      for (let fired = 0;; fired++) {
        await this.#settle(deadTurns, () => isSettled, io ? quietMs : 0);
        if (isSettled) return;
        let timer = this.#next(Infinity);
        while (io && timer === undefined && !isSettled && realNow() < untilRealMs) {
          await this.#settle(1, () => isSettled, 1);
          timer = this.#next(Infinity);
        }
        if (isSettled) return;
        if (timer === undefined) {
          const why = io
            ? `after ${limitMs} ms of real time, and no timer is set`
            : "and nothing can move: no timer is set";
          throw new Error(`Cannot run: the promise has not settled, ${why}\n${describeRuns()}`);
        }
        if (fired === maxTimers) {
          throw new Error(
            `Cannot run: the promise has not settled after ${fired} timers and ${this.now} ms\n` +
              describeRuns(),
          );
        }
        this.#clock.fire(timer);
      }
    });
    return await promise;
  }

  restore(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#restore();
  }

  [asyncDispose](): Promise<void> {
    this.restore();
    return Promise.resolve();
  }

  #next(untilMs: number) {
    const timer = this.#isOver ? undefined : this.#clock.next();
    return timer !== undefined && timer.atMs <= untilMs ? timer : undefined;
  }

  async #move(action: string, go: () => Promise<void>): Promise<void> {
    if (this.#isOver) throw new Error(`Cannot ${action}: the real time is back`);
    if (this.#isMoving) {
      throw new Error(`Cannot ${action}: the clock moves already; await what moves it`);
    }
    this.#isMoving = true;
    try {
      await go();
    } finally {
      this.#isMoving = false;
    }
  }

  /** Gives the event loop turns until nothing has happened in some of them and for so long in real time. */
  async #settle(turns: number, isDone = () => false, realMs = 0): Promise<void> {
    let last = progress();
    let sinceMs = realNow();
    let still = 0;
    for (let turn = 0; still < turns || realNow() - sinceMs < realMs; turn++) {
      if (isDone() || realMs === 0 && turn === mostTurns) return;
      await nextTurn();
      const immediate = this.#isOver ? undefined : this.#clock.takeImmediate();
      immediate?.();
      const now = progress();
      const hasMoved = immediate !== undefined || now !== last;
      still = hasMoved ? 0 : still + 1;
      if (hasMoved) sinceMs = realNow();
      last = now;
    }
  }
}
