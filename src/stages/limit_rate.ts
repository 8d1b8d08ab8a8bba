import { longestDelayMs } from "../check_delay.ts";
import { checkFunction, checkOptions, throwTypeError } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";

/** How fast `limitRate` lets chunks through. */
export interface LimitRateOptions<T> {
  /** What chunks may cost together in a second on average, a positive number. */
  perSecond: number;
  /**
   * What chunks may cost together at once after a pause, a positive number; a chunk that costs more by itself fails
   * the stream. Default: `perSecond`, but at least 1.
   */
  burst?: number | undefined;
  /**
   * Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; returns what the chunk
   * costs, a number from 0 on: its bytes, for example. Default: each costs 1.
   */
  cost?: ((chunk: T, index: number, context: StageContext) => number) | undefined;
}

function checkPositive(action: string, name: string, value: unknown): void {
  const need = "a positive number";
  if (typeof value !== "number") throwTypeError(action, name, need, value);
  if (!(value > 0 && value < Infinity)) {
    throw new RangeError(`Cannot ${action}: ${name} must be ${need}, got ${value}`);
  }
}

/**
 * Lets chunks through no faster than a rate, and drops none: a token bucket, which is full at the start.
 *
 * A chunk waits until there are tokens for what it costs, and nothing is read meanwhile: one chunk is held.
 *
 * @typeParam T The type of the chunks.
 * @param options How fast.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. A chunk that costs more than `burst`
 * fails the stream with a `RangeError`, as does a cost that is no number from 0 on.
 * @throws {TypeError} If a number is not one, `cost` is not a function, or an option is unknown.
 * @throws {RangeError} If `perSecond` or `burst` is not a positive number.
 *
 * @example At most 1,000 calls a second
 * ```ts
 * import { limitRate, pipeline } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const called: number[] = [];
 * await pipeline([1, 2, 3], limitRate({ perSecond: 1000, burst: 1 }), (n) => void called.push(n));
 *
 * assert.deepEqual(called, [1, 2, 3]);
 * ```
 *
 * @example Bytes
 * ```ts
 * import { limitRate, toText } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const slow = limitRate({ perSecond: 1_000_000, cost: (chunk: Uint8Array) => chunk.length });
 *
 * assert.deepEqual(await toText(new Blob(["some bytes"]), slow), "some bytes");
 * ```
 */
export function limitRate<T>(options: LimitRateOptions<T>): Transformer<T, T> {
  const action = "create limitRate";
  checkOptions(action, options, ["perSecond", "burst", "cost"]);
  const { perSecond, cost } = options ?? {};
  checkPositive(action, "perSecond", perSecond);
  const { burst = Math.max(1, perSecond) } = options;
  checkPositive(action, "burst", burst);
  if (cost !== undefined) checkFunction(action, "cost", cost);

  return operator((controller, context) => {
    const bucket = new TokenBucket(perSecond, burst);
    let index = 0;
    return {
      transform(chunk) {
        const price = cost === undefined ? 1 : cost(chunk, index++, context);
        const wait = bucket.take(price);
        if (wait === undefined) return controller.enqueue(chunk);
        return wait.then((isTaken) => {
          if (isTaken) controller.enqueue(chunk);
        });
      },
      cancel: () => bucket.stop(),
    };
  }, { name: "limitRate" });
}

/** The tokens of one stream of `limitRate`. */
class TokenBucket {
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
