import { checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { busyStreams } from "./busy_streams.ts";
import { perStream } from "./per_stream.ts";
import type { Transformer } from "../web_types.ts";

/** When `batch` hands on a batch that is not full. */
export interface BatchOptions {
  /**
   * Milliseconds after its first chunk at which a batch is handed on though it is not full, from 0 to
   * 2,147,483,647. Default: batches wait until they are full or the stream ends.
   */
  maxWaitMs?: number;
}

interface State<T> {
  chunks: T[];
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** The longest delay that timers know; beyond it they fire at once. */
const longestDelayMs = 2 ** 31 - 1;

function checkMaxWait(value: unknown): void {
  const need = `a number from 0 to ${longestDelayMs}`;
  if (typeof value !== "number") throwTypeError("create batch", "maxWaitMs", need, value);
  if (!(value >= 0 && value <= longestDelayMs)) {
    throw new RangeError(`Cannot create batch: maxWaitMs must be ${need}, got ${value}`);
  }
}

/**
 * Gathers chunks into arrays of `size`; the last array may be shorter.
 *
 * @typeParam T The type of the chunks that come in; arrays of them go out.
 * @param size How many chunks make a batch.
 * @param options When a batch goes on before it is full.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `size` or `maxWaitMs` is not a number, or an option is unknown.
 * @throws {RangeError} If `size` is not a positive integer, or `maxWaitMs` not a delay a timer knows.
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
  checkOptions("create batch", options, ["maxWaitMs"]);
  const { maxWaitMs } = options;
  if (maxWaitMs !== undefined) checkMaxWait(maxWaitMs);

  const stateOf = perStream((): State<T> => ({ chunks: [], timer: undefined }));
  const waiting = busyStreams<State<T>>();

  const stopTimer = (state: State<T>): void => {
    clearTimeout(state.timer);
    waiting.states.delete(state);
  };
  const handOn = (state: State<T>, controller: TransformStreamDefaultController<T[]>): void => {
    if (maxWaitMs !== undefined) stopTimer(state);
    const { chunks } = state;
    state.chunks = [];
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
      const count = state.chunks.push(chunk);
      if (count === size) handOn(state, controller);
      else if (count === 1 && maxWaitMs !== undefined) {
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
