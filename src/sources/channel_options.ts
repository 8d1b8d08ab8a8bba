import { checkOneOf, checkOptions } from "../errors.ts";
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

type QueueDefaults = Pick<ChannelPlan<never>, "highWaterMark" | "overflow">;

const overflows: readonly Overflow[] = ["wait", "fail", "dropOldest", "dropNewest"];

/** Checks the options of a queue; `known` names all options of the function that is called, `defaults` are its own. */
export function readChannelOptions<T>(
  action: string,
  options: ChannelOptions<T>,
  known: readonly string[] = ["highWaterMark", "size", "overflow"],
  defaults: QueueDefaults = { highWaterMark: 16, overflow: "wait" },
): ChannelPlan<T> {
  checkOptions(action, options, known);
  const { overflow = defaults.overflow, highWaterMark = defaults.highWaterMark } = options;
  // A branch of a hub has none: what is inherited, such as that of a Map, is not its option.
  const size = known.includes("size") ? options.size : undefined;
  toStrategy(action, { highWaterMark, size });
  checkOneOf(action, "overflow", overflow, overflows);
  return { highWaterMark, size, overflow };
}
