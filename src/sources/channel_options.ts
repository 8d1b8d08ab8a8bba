import { checkOptions, throwTypeError } from "../errors.ts";
import { type StrategyOptions, toStrategy } from "../strategy.ts";

/** What a channel does with a chunk that there is no room for. */
export type Overflow = "wait" | "fail" | "dropOldest" | "dropNewest";

/** The queue of a `channel`. */
export interface ChannelOptions<T> extends StrategyOptions<T> {
  /**
   * The size of the queue from which on there is no room. In chunks, unless `size` counts something else. 0
   * has room only while a read is pending; `Infinity` always. Default: 16.
   */
  highWaterMark?: number | undefined;
  /**
   * What happens to a chunk that there is no room for. `"wait"`: `send` waits. `"fail"`: the stream fails
   * with a `RangeError` after the chunks before it. `"dropOldest"` makes room by dropping what has waited
   * longest, `"dropNewest"` drops the chunk itself; both are counted. Default: `"wait"`.
   */
  overflow?: Overflow | undefined;
}

/** The options of a channel with all defaults filled in. */
export interface ChannelPlan<T> {
  readonly highWaterMark: number;
  readonly size: ((chunk: T) => number) | undefined;
  readonly overflow: Overflow;
}

const overflows: readonly Overflow[] = ["wait", "fail", "dropOldest", "dropNewest"];

/** Throws unless `overflow` is one of the four. */
export function checkOverflow(action: string, overflow: Overflow): void {
  if (overflows.includes(overflow)) return;
  throwTypeError(action, "overflow", '"wait", "fail", "dropOldest" or "dropNewest"', overflow);
}

/** Checks the options of a channel; `defaults` and `more` are those of the function that is called. */
export function readChannelOptions<T>(
  action: string,
  options: ChannelOptions<T>,
  defaults: { readonly highWaterMark: number; readonly overflow: Overflow } = {
    highWaterMark: 16,
    overflow: "wait",
  },
  more: readonly string[] = [],
): ChannelPlan<T> {
  checkOptions(action, options, ["highWaterMark", "size", "overflow", ...more]);
  const { overflow = defaults.overflow, highWaterMark = defaults.highWaterMark, size } = options;
  toStrategy(action, { highWaterMark, size });
  checkOverflow(action, overflow);
  return { highWaterMark, size, overflow };
}
