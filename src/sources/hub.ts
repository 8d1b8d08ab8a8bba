import { type Overflow, readChannelOptions } from "./channel_options.ts";
import { asyncDispose } from "../async_dispose.ts";
import { checkBoolean, checkInteger } from "../errors.ts";
import type { Source } from "../source_types.ts";
import { SharedSource } from "./shared_source.ts";
import { checkOneSource } from "./open_sources.ts";
import { SourceReader } from "./source_reader.ts";

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

/** A branch of a `hub`: a stream, with a `highWaterMark` of 0 beside its own queue. */
export type HubBranch<T> = ReadableStream<T> & {
  /** How many chunks it has dropped because it had no room. */
  readonly dropped: number;
};

/** One source for any number of branches that come and go. */
export interface Hub<T> {
  /** Makes a branch, which is given the last chunks that are replayed and all from now on. */
  readonly join: (options?: JoinOptions) => HubBranch<T>;
  /** How many branches there are that have neither ended nor been cancelled. */
  readonly branchCount: number;
  /** Cancels the source, and fails the branches with the reason, unless it has ended. */
  readonly cancel: (reason?: unknown) => Promise<void>;
  /** Does the same, with an `AbortError`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The options that each branch may have of its own. */
const queueNames = ["highWaterMark", "overflow"];

/**
 * Gives the chunks of one source to any number of branches, which may join and leave at any time.
 *
 * The source is read when a branch asks and every branch that waits on overflow has room: what is held is bounded by
 * the high-water mark of each branch and `replay`. Without a branch it waits, or runs on if `runAlone` says so. A
 * branch leaves by being cancelled; that never cancels the source, which `cancel` or `await using` does. Its end or its
 * failure reaches each branch after the chunks that wait for it, and those that join later after what is replayed.
 * All branches get the same chunk: copy it before you change it. For a fixed number of branches there is `tee`.
 *
 * @typeParam T The type of the chunks.
 * @param source What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request`. A stream is locked at once.
 * @param options How it reads, and the queues of its branches.
 * @returns The hub, whose functions need no `this`.
 * @throws {TypeError} If `source` is none of these or locked, or an option is unknown or of the wrong type.
 * @throws {RangeError} If `highWaterMark` is negative, or `replay` negative or not an integer.
 *
 * @example Clients that come and go
 * ```ts
 * import { hub, pipeline, take, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * await using news = hub(["a", "b", "c", "d"], { replay: 1 });
 * const early = toArray(news.join(), take<string>(2));
 * assert.deepEqual(await early, ["a", "b"]);
 *
 * // The last chunk again, and then what comes.
 * assert.deepEqual(await toArray(news.join()), ["b", "c", "d"]);
 * ```
 */
export function hub<T>(source: Source<T>, options: HubOptions = {}): Hub<T> {
  const action = "create hub";
  const found = checkOneSource(action, source);
  const plan = readChannelOptions<T>(action, options, [...queueNames, "replay", "runAlone"]);
  const { replay = 0, runAlone = false } = options;
  checkInteger(action, "replay", replay, 0);
  checkBoolean(action, "runAlone", runAlone);
  const hub = new SharedSource<T>(new SourceReader(found, "source of hub"), { replay, runAlone });
  return {
    join: (options = {}) =>
      hub.join("hub", readChannelOptions("join hub", options, queueNames, plan)),
    get branchCount() {
      return hub.branchCount;
    },
    cancel: (reason) => hub.cancel(reason),
    [asyncDispose]: () =>
      hub.cancel(new DOMException("Cannot read: the hub was disposed of", "AbortError")),
  };
}
