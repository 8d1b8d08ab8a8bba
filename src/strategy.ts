import { checkFunction, throwTypeError } from "./errors.ts";

/** The queuing strategy of a stage's own queue. */
export interface StrategyOptions<T> {
  /**
   * The size of the queue at which backpressure begins; a threshold, not a capacity. In chunks, unless
   * `size` counts something else. `Infinity` means no backpressure. Default: 1.
   */
  highWaterMark?: number | undefined;
  /** The size of a chunk. Default: 1 for each. */
  size?: ((chunk: T) => number) | undefined;
}

/** Checks the options of a queue and makes the standard's strategy of them. */
export function toStrategy<T>(action: string, options: StrategyOptions<T>): QueuingStrategy<T> {
  const { highWaterMark = 1, size } = options;
  const need = "a non-negative number";
  if (typeof highWaterMark !== "number") {
    throwTypeError(action, "highWaterMark", need, highWaterMark);
  }
  if (!(highWaterMark >= 0)) {
    throw new RangeError(`Cannot ${action}: highWaterMark must be ${need}, got ${highWaterMark}`);
  }
  if (size === undefined) return { highWaterMark };
  checkFunction(action, "size", size);
  return { highWaterMark, size };
}
