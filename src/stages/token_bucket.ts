import { longestDelayMs } from "../check_delay.ts";
import { throwTypeError } from "../errors.ts";

/** The tokens of one stream of `limitRate`. */
export class TokenBucket {
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #countedAtMs = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #answer: ((isTaken: boolean) => void) | undefined;

  constructor(perSecond: number, burst: number) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Takes what a chunk costs; answers a promise if it has to wait, of `false` if it was stopped meanwhile. */
  take(cost: number): Promise<boolean> | undefined {
    this.#check(cost);
    if (this.#tryToTake(cost)) return undefined;
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#waitFor(cost);
    });
  }

  /** Ends the wait. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#answer?.(false);
  }

  #check(cost: number): void {
    const action = "limit the rate";
    if (typeof cost !== "number") throwTypeError(action, "the cost of a chunk", "a number", cost);
    if (!(cost >= 0)) {
      throw new RangeError(`Cannot ${action}: a cost must be a number from 0 on, got ${cost}`);
    }
    if (cost > this.#burst) {
      throw new RangeError(
        `Cannot ${action}: a chunk costs ${cost}, more than the burst of ${this.#burst}`,
      );
    }
  }

  /** `leastMs` is how long it has waited at least, whatever the clock says. */
  #tryToTake(cost: number, leastMs = 0): boolean {
    const nowMs = performance.now();
    const gained = Math.max(nowMs - this.#countedAtMs, leastMs) * this.#perMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#countedAtMs = nowMs;
    // What is added up of fractions may miss a whole by a little, and would wait for another turn.
    if (this.#tokens < cost * (1 - 1e-9)) return false;
    this.#tokens = Math.max(0, this.#tokens - cost);
    return true;
  }

  #waitFor(cost: number, leastMs = 0): void {
    const missingMs = Math.ceil((cost - this.#tokens) / this.#perMs);
    const waitMs = Math.min(Math.max(missingMs, leastMs), longestDelayMs);
    this.#timer = setTimeout(() => {
      // Timers fire up to a millisecond early; where the clock says less, a test has replaced them and not the clock.
      if (this.#tryToTake(cost, waitMs - 1)) this.#answer!(true);
      else this.#waitFor(cost, 2);
    }, waitMs);
  }
}
