import { Writable } from "node:stream";
import { checkFunction, checkInteger, checkOptions } from "../src/errors.ts";
import { isPromiseLike } from "../src/is_promise_like.ts";
import { checkHighWaterMark, refuseSize } from "./check_high_water_mark.ts";
import { toError, toReason } from "./stage_error.ts";

/** Options of {@linkcode writer}. */
export interface WriterOptions {
  /** How many writes may be in flight at a time. @default {1} */
  concurrency?: number;
  /** The threshold, in chunks, of the incoming buffer. @default {1} */
  highWaterMark?: number;
  /**
   * Which write lets the next one in once `concurrency` writes are in flight: whichever is `"any"` first to finish,
   * or only the `"last"` one started, which is all that a lone `_write` callback can express. @default {"any"}
   */
  admit?: "any" | "last";
  /** Called once, after the last write has finished. */
  close?: () => void | PromiseLike<void>;
  /** Called with the reason, after the writes in flight have settled, if the stream is destroyed before its end. */
  abort?: (reason: unknown) => void | PromiseLike<void>;
}

const action = "create writer";

/**
 * The twin of the Web `writer` on `node:stream`: an object-mode `Writable` with up to `concurrency` writes in
 * flight. It closes after all of them, and fails with the first error once the others have settled.
 * A `write` that answers synchronously is exactly a hand-written `_write` that calls its callback before it returns.
 *
 * @throws {TypeError} If `write` is not a function, or an option is of the wrong type, unknown, or `size`.
 * @throws {RangeError} If `concurrency` or `highWaterMark` is out of range, or `admit` is neither of its words.
 *
 * @example
 * ```ts
 * import { pipeline, reader, writer } from "@hosepipe/streams/node";
 * import { assertEquals } from "@std/assert";
 *
 * const written: number[] = [];
 * await pipeline(
 *   reader([1, 2, 3]),
 *   writer((chunk: number) => void written.push(chunk), { concurrency: 2 }),
 * );
 * assertEquals(written, [1, 2, 3]);
 * ```
 */
// deno-lint-ignore no-explicit-any -- as `WritableStream` does, so that any write function fits
export function writer<Chunk = any>(
  write: (chunk: Chunk, index: number) => unknown,
  options: WriterOptions = {},
): Writable {
  checkFunction(action, "write", write);
  checkOptions(action, options, [
    "concurrency",
    "highWaterMark",
    "size",
    "admit",
    "close",
    "abort",
  ]);
  refuseSize(action, (options as { size?: unknown }).size);
  const { concurrency = 1, admit = "any", close, abort } = options;
  checkInteger(action, "concurrency", concurrency, 1);
  const highWaterMark = checkHighWaterMark(action, options.highWaterMark);
  if (admit !== "any" && admit !== "last") {
    throw new RangeError(`Cannot ${action}: admit must be "any" or "last", got ${String(admit)}`);
  }
  if (close !== undefined) checkFunction(action, "close", close);
  if (abort !== undefined) checkFunction(action, "abort", abort);

  type Callback = (error?: Error | null) => void;
  let index = 0;
  let inFlight = 0;
  let writesStarted = 0;
  let failure: { reason: unknown } | undefined;
  let finished = false;
  // The callback of the write, or of the end, that waits for writes in flight.
  let held: Callback | undefined;
  let ending = false;
  let whenSettled: (() => void) | undefined;

  const release = (error?: Error): void => {
    const callback = held;
    held = undefined;
    if (callback !== undefined) callback(error);
    else if (error !== undefined && !stream.destroyed) stream.destroy(error);
  };

  const settle = (isLast: boolean): void => {
    if (inFlight === 0) {
      whenSettled?.();
      if (failure !== undefined) return release(toError(failure.reason));
    }
    if (failure === undefined && (ending ? inFlight === 0 : admit === "any" || isLast)) release();
  };

  const stream = new Writable({
    objectMode: true,
    highWaterMark,
    write(chunk, _encoding, callback) {
      if (failure !== undefined) {
        held = callback;
        return;
      }
      let result: unknown;
      try {
        result = write(chunk, index++);
        if (isPromiseLike(result)) {
          const number = ++writesStarted;
          inFlight++;
          const isFull = inFlight >= concurrency;
          if (isFull) held = callback;
          result.then(() => {
            inFlight--;
            settle(number === writesStarted);
          }, (reason) => {
            inFlight--;
            failure ??= { reason };
            settle(number === writesStarted);
          });
          if (!isFull) callback();
          return;
        }
      } catch (reason) {
        failure ??= { reason };
        held = callback;
        settle(false);
        return;
      }
      callback();
    },
    final(callback) {
      const end = (error?: Error | null): void => {
        if (error != null) return callback(error);
        finished = true;
        let result: unknown;
        try {
          result = close?.();
          if (isPromiseLike(result)) {
            result.then(() => callback(), (reason) => callback(toError(reason)));
            return;
          }
        } catch (reason) {
          callback(toError(reason));
          return;
        }
        callback();
      };
      if (inFlight === 0 && failure === undefined) return end();
      ending = true;
      held = end;
    },
    destroy(error, callback) {
      const isOver = finished || failure !== undefined;
      const end = (): void => {
        if (isOver) return callback(error);
        let result: unknown;
        try {
          result = abort?.(toReason(error ?? undefined));
          if (isPromiseLike(result)) {
            result.then(() => callback(error), (reason) => callback(error ?? toError(reason)));
            return;
          }
        } catch (reason) {
          callback(error ?? toError(reason));
          return;
        }
        callback(error);
      };
      held = undefined;
      if (inFlight === 0) end();
      else whenSettled = end;
    },
  });
  return stream;
}
