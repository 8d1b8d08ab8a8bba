import { byteLengthOf } from "../byte_length.ts";
import { checkDelay } from "../check_delay.ts";
import { checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { busyStreams } from "./busy_streams.ts";
import { perStream } from "./per_stream.ts";
import type { Transformer } from "../web_types.ts";

/** When `batch` hands on a batch that is not full. */
export interface BatchOptions {
  /**
   * The most bytes of a batch, a positive integer: it is handed on before a chunk would exceed them; one
   * that does by itself is a batch of its own. Chunks must be bytes or text, which counts as UTF-8. Default:
   * any number.
   */
  maxBytes?: number;
  /**
   * Milliseconds after its first chunk at which a batch is handed on though it is not full, from 0 to
   * 2,147,483,647. Default: batches wait until they are full or the stream ends.
   */
  maxWaitMs?: number;
}

interface State<T> {
  chunks: T[];
  /** Counted only if there is a `maxBytes`. */
  byteLength: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Gathers chunks into arrays of `size`; the last array may be shorter.
 *
 * @typeParam T The type of the chunks that come in; arrays of them go out.
 * @param size How many chunks make a batch.
 * @param options When a batch goes on before it is full.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If a number is not one, or an option is unknown.
 * @throws {RangeError} If `size` or `maxBytes` is not a positive integer, or `maxWaitMs` not a delay a timer knows.
 *
 * @example Pairs
 * ```ts
 * import { batch } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const pairs = ReadableStream.from([1, 2, 3])
 *   .pipeThrough(new TransformStream(batch<number>(2, { maxWaitMs: 1000 })));
 *
 * assertEquals(await Array.fromAsync(pairs), [[1, 2], [3]]);
 * ```
 */
export function batch<T>(size: number, options: BatchOptions = {}): Transformer<T, T[]> {
  checkInteger("create batch", "size", size, 1);
  checkOptions("create batch", options, ["maxBytes", "maxWaitMs"]);
  const { maxBytes, maxWaitMs } = options;
  if (maxBytes !== undefined) checkInteger("create batch", "maxBytes", maxBytes, 1);
  if (maxWaitMs !== undefined) checkDelay("create batch", "maxWaitMs", maxWaitMs);

  const stateOf = perStream((): State<T> => ({ chunks: [], byteLength: 0, timer: undefined }));
  const waiting = busyStreams<State<T>>();

  const stopTimer = (state: State<T>): void => {
    clearTimeout(state.timer);
    waiting.states.delete(state);
  };
  const handOn = (state: State<T>, controller: TransformStreamDefaultController<T[]>): void => {
    if (maxWaitMs !== undefined) stopTimer(state);
    const { chunks } = state;
    state.chunks = [];
    state.byteLength = 0;
    controller.enqueue(chunks);
  };
  const handOnLate = (state: State<T>, controller: TransformStreamDefaultController<T[]>): void => {
    try {
      handOn(state, controller);
    } catch (error) {
      // A timer has no caller who could be told, so the stream is.
      controller.error(error);
    }
  };

  const transformer = {
    start: waiting.started,
    transform(chunk: T, controller: TransformStreamDefaultController<T[]>): void {
      const state = stateOf(controller);
      if (maxBytes !== undefined) {
        const length = byteLengthOf(chunk);
        if (length === undefined) {
          throwTypeError("batch", "with maxBytes, a chunk", "bytes or text", chunk);
        }
        const exceeds = state.byteLength + length > maxBytes;
        if (exceeds && state.chunks.length > 0) handOn(state, controller);
        state.byteLength += length;
      }
      const count = state.chunks.push(chunk);
      if (count === size || (maxBytes !== undefined && state.byteLength >= maxBytes)) {
        handOn(state, controller);
      } else if (count === 1 && maxWaitMs !== undefined) {
        state.timer = setTimeout(handOnLate, maxWaitMs, state, controller);
        waiting.states.add(state);
      }
    },
    flush(controller: TransformStreamDefaultController<T[]>): void {
      waiting.finished();
      const state = stateOf(controller);
      if (state.chunks.length > 0) handOn(state, controller);
    },
    cancel(): void {
      const state = waiting.cancelled();
      if (state !== undefined) stopTimer(state);
    },
  };
  return transformer;
}
