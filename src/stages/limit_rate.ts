import { checkFunction, checkOptions, throwTypeError } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";
import { TokenBucket } from "./token_bucket.ts";

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
 * import { assertEquals } from "@std/assert";
 *
 * const called: number[] = [];
 * await pipeline([1, 2, 3], limitRate({ perSecond: 1000, burst: 1 }), (n) => void called.push(n));
 *
 * assertEquals(called, [1, 2, 3]);
 * ```
 *
 * @example Bytes
 * ```ts
 * import { limitRate, toText } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const slow = limitRate({ perSecond: 1_000_000, cost: (chunk: Uint8Array) => chunk.length });
 *
 * assertEquals(await toText(new Blob(["some bytes"]), slow), "some bytes");
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
