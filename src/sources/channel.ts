import { asyncDispose } from "../async_dispose.ts";
import { type ChannelOptions, readChannelOptions } from "./channel_options.ts";
import { ChannelQueue } from "./channel_queue.ts";

/** A stream, and the means to put chunks into it. */
export interface Channel<T> {
  /** What is sent, in order. */
  readonly readable: ReadableStream<T>;
  /**
   * Sends a chunk. Fulfilled once it is in the queue or dropped; rejected if the channel has been closed,
   * has failed, or has been cancelled: in the last two cases with the reason.
   */
  readonly send: (chunk: T) => Promise<void>;
  /** Fulfilled when there is room; rejected as `send` would be. */
  readonly ready: Promise<void>;
  /** Ends the stream after what has been sent. */
  readonly close: () => void;
  /** Fails the stream with the reason, after what has been sent. */
  readonly fail: (reason: unknown) => void;
  /**
   * Has all that was sent before passed on, in order, also what stages hold: `batch`, `batchBy`, `encode`, `rechunk`,
   * calls of `parallel` in flight, `gzip` of `/node`. Fulfilled once the sink has taken it; what is sent meanwhile comes
   * after. Rejected as `send` would be, if the stream is not the source of a `pipeline` or of an end such as `toArray`,
   * and if a pair of native streams stands among the stages, with its name.
   */
  readonly flushNow: () => Promise<void>;
  /** How many chunks have been dropped because there was no room. */
  readonly dropped: number;
  /** Closes it, as `await using` does where its block ends. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a stream of the chunks that you send to it, from anywhere.
 *
 * With the overflow `"wait"`, await each `send`: chunks that wait for room are held beyond the high-water
 * mark. Cancelling the stream rejects the sends that wait, with the reason; a rejection that nothing awaits
 * does no harm then. One after `close` does, since it is a mistake.
 *
 * @typeParam T The type of the chunks.
 * @param options The queue, and what happens when it is full.
 * @returns The stream, with a `highWaterMark` of 0 beside the channel's own queue, and its functions, which
 * need no `this`.
 * @throws {TypeError} If an option is unknown or of the wrong type, or `overflow` is not one of the four.
 * @throws {RangeError} If `highWaterMark` is negative.
 *
 * @example From a callback
 * ```ts
 * import { channel } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const keys = channel<string>({ highWaterMark: 2, overflow: "dropOldest" });
 * for (const key of ["a", "b", "c"]) keys.send(key);
 * keys.close();
 *
 * assert.deepEqual(await Array.fromAsync(keys.readable), ["b", "c"]);
 * assert.deepEqual(keys.dropped, 1);
 * ```
 *
 * @example With backpressure
 * ```ts
 * import { channel, pipeline } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const numbers = channel<number>();
 * const produce = async () => {
 *   for (let n = 0; n < 100; n++) await numbers.send(n);
 *   numbers.close();
 * };
 * let sum = 0;
 * await Promise.all([produce(), pipeline(numbers.readable, (n) => void (sum += n))]);
 *
 * assert.deepEqual(sum, 4950);
 * ```
 */
export function channel<T>(options: ChannelOptions<T> = {}): Channel<T> {
  const queue = new ChannelQueue<T>("send", readChannelOptions("create channel", options));
  return {
    readable: queue.readable,
    send: (chunk) => queue.send(chunk),
    close: () => queue.end(undefined),
    fail: (reason) => queue.end({ reason }),
    flushNow: () => queue.flushNow(),
    get ready() {
      return queue.ready;
    },
    get dropped() {
      return queue.dropped;
    },
    [asyncDispose]: () => Promise.resolve(queue.end(undefined)),
  };
}
