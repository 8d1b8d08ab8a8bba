import type { TurnBudget } from "./ports.ts";

const maximumSliceSize = 128;
/** After how many looks at a clock that stands still the turn is over: some runtimes stop it while code runs. */
const maximumStillChecks = 256;
/** A look at what waits, and a step. */
const leastSteps = 2;

/**
 * Gives the event loop its turn: measures the time since it last had it, and asks the clock less often while
 * chunks are cheap.
 */
export class TimedTurnBudget implements TurnBudget {
  sliceSize = 1;
  readonly #turnMs: number;
  /** When it was made, or the event loop had its turn last. */
  startedAtMs: number = performance.now();
  /** From when on the time counts: of the first turn from the first look on, since a machine may be busy before. */
  #countsFromMs: number | undefined;
  /** When it looked at the clock last. */
  lookedAtMs: number = this.startedAtMs;
  #untilCheck = 1;
  #stillChecks = 0;
  #isOver = false;
  /** What goes on in the next turn: one task of the event loop for all, so that they share its time. */
  #waiting: (() => void)[] | undefined;

  constructor(turnMs = 8) {
    this.#turnMs = turnMs;
  }

  isOver(walkedCount: number): boolean {
    return this.#isOver || ((this.#untilCheck -= walkedCount) <= 0 && this.#check());
  }

  #check(): boolean {
    const nowMs = performance.now();
    const elapsedMs = nowMs - this.lookedAtMs;
    this.lookedAtMs = nowMs;
    if (elapsedMs < 0.5) this.sliceSize = Math.min(this.sliceSize * 2, maximumSliceSize);
    else if (elapsedMs > 2) this.sliceSize = Math.max(1, this.sliceSize >> 2);
    this.#untilCheck = this.sliceSize;
    this.#stillChecks = elapsedMs === 0 ? this.#stillChecks + 1 : 0;
    return this.#isOver = nowMs - (this.#countsFromMs ??= nowMs) > this.#turnMs ||
      this.#stillChecks > maximumStillChecks;
  }

  next(callback: () => void): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(callback);
      return;
    }
    this.#waiting = [callback];
    yieldTurn(() => {
      const waiting = this.#waiting!;
      this.#waiting = undefined;
      this.begin();
      for (const goOn of waiting) goOn();
    });
  }

  /** Tells that the event loop has had its turn. */
  begin(): void {
    this.#isOver = false;
    this.#stillChecks = 0;
    this.#countsFromMs = this.startedAtMs = this.lookedAtMs = performance.now();
    // Something is done in every turn, however late it begins: a machine may be that busy.
    this.#untilCheck = Math.max(leastSteps, this.sliceSize);
  }
}

type Schedule = (callback: () => void) => void;

/** A task of the event loop: by `setImmediate` where there is one, since a timer of 0 ms takes 1. */
const waitTurn: Schedule =
  (globalThis as { setImmediate?: Schedule }).setImmediate?.bind(globalThis) ??
    ((callback) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        callback();
      };
      port2.postMessage(undefined);
    });

const { setTimeout, Date } = globalThis;

/** Whether a test has replaced the realm's timers by ones that it moves, other than those of `virtualTime`. */
function areTimersFake(): boolean {
  return globalThis.setTimeout !== setTimeout && globalThis.Date !== Date &&
    !Object.hasOwn(globalThis, Symbol.for("hosepipe.virtualTime"));
}

/** Goes on in another task of the event loop, after what waits already. */
export function yieldTurn(callback: () => void): void {
  if (!areTimersFake()) return waitTurn(callback);
  // What runs fake timers until there is none must find one while a run goes on; without it the turn comes all the same.
  const { setTimeout, clearTimeout } = globalThis;
  let isOver = false;
  const goOn = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    callback();
  };
  const timer = setTimeout(goOn, 0);
  waitTurn(goOn);
}
