import type { Overflow } from "./channel_options.ts";

/** The queue of one branch of a `hub`. */
export interface JoinOptions {
  /** How many chunks the branch may be behind before it overflows; 0 has room only while it is read. Default: the hub's. */
  highWaterMark?: number | undefined;
  /** What happens to a chunk that the branch has no room for. Default: the hub's. */
  overflow?: Overflow | undefined;
}

/** How a `hub` reads, and the queues of its branches. */
export interface HubOptions {
  /** How many chunks a branch may be behind before it overflows; 0 has room only while it is read. Default: 16. */
  highWaterMark?: number | undefined;
  /**
   * What happens to a chunk that a branch has no room for. `"wait"`: it is not read before there is room, so the
   * slowest branch sets the pace. `"dropOldest"` drops the chunk that has waited longest for that branch, `"dropNewest"`
   * the chunk itself; both are counted. `"fail"`: the branch fails with a `RangeError` after what waits for it; the
   * others go on. Default: `"wait"`.
   */
  overflow?: Overflow | undefined;
  /** How many of the last chunks a branch that joins is given first, a non-negative integer. Default: 0. */
  replay?: number | undefined;
  /** Whether the source is read on, and dropped, while there is no branch; otherwise it waits. Default: `false`. */
  runAlone?: boolean | undefined;
}
