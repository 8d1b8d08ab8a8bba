import { Duplex, type Readable, type Writable } from "node:stream";
import { checkOptions, throwTypeError } from "../src/errors.ts";
import type { Pair } from "../src/pair.ts";
import type { Callback } from "./call_back.ts";
import { checkHighWaterMark } from "./check_high_water_mark.ts";
import { endEarly, trackSources } from "./early_end.ts";
import { SinkSide, sinkWritable } from "./sink_side.ts";
import { sourceReadable, SourceSide } from "./source_side.ts";
import { toError, toReason } from "../src/source/stage_error.ts";
import type { UnderlyingDefaultSource, UnderlyingSink } from "../src/web_types.ts";

/** Options of {@linkcode toNode} and {@linkcode fromNode}. */
export interface AdapterOptions {
  /** The threshold, in chunks, of each buffer that the adapter adds. @default {1} */
  highWaterMark?: number | undefined;
}

/**
 * Turns a Web stream, or a pair of them, into an object-mode node stream.
 *
 * Backpressure and counts are kept: nothing is read before node asks, and reading `k` chunks pulls at most `k` plus
 * the sum of the high-water marks. `destroy(error)` cancels or aborts with the error, and the Web stream's own
 * error destroys the node stream; a falsy one arrives as a {@linkcode StageError}. The Web stream is locked until then.
 * A pair whose readable ends while its writable fails with a `TypeError`, as `terminate` does, has ended early:
 * what is piped into it is stopped and destroyed.
 *
 * Node streams cannot carry `null`: a readable that gives it is cancelled with a `TypeError`.
 *
 * @throws {TypeError} If `stream` is not a Web stream or is locked, or an option is of the wrong type or unknown.
 * @throws {RangeError} If `highWaterMark` is out of range.
 *
 * @example
 * ```ts
 * import { toNode } from "@hosepipe/streams/node";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(await toNode(ReadableStream.from([1, 2, 3])).toArray(), [1, 2, 3]);
 * ```
 */
export function toNode(stream: ReadableStream, options?: AdapterOptions): Readable;
/** Turns a `WritableStream` into a node `Writable`. */
export function toNode(stream: WritableStream, options?: AdapterOptions): Writable;
/** Turns a pair, such as a `TransformStream`, into a node `Duplex`. */
export function toNode(
  stream: { readable: ReadableStream; writable: WritableStream },
  options?: AdapterOptions,
): Duplex;
export function toNode(
  stream: ReadableStream | WritableStream | Pair,
  options: AdapterOptions = {},
): Readable | Writable | Duplex {
  const action = "convert to node";
  checkOptions(action, options, ["highWaterMark"]);
  const highWaterMark = checkHighWaterMark(action, options.highWaterMark);
  // Of whatever realm or library, so that `instanceof` would not do.
  const { getReader, getWriter, readable, writable } = Object(stream);
  if ([stream, readable, writable].some((part) => part?.locked)) {
    throw new TypeError(`Cannot ${action}: the stream is locked`);
  }
  if (getReader) return sourceReadable(new WebSource(stream as ReadableStream), highWaterMark);
  if (getWriter) return sinkWritable(new WebSink(stream as WritableStream), highWaterMark, true);
  if (readable?.getReader && writable?.getWriter) return pairDuplex(stream as Pair, highWaterMark);
  const need = "a ReadableStream, a WritableStream or a pair of them";
  return throwTypeError(action, "stream", need, stream);
}

/** Makes an object-mode `Duplex` of a pair of Web streams. */
function pairDuplex(
  { readable, writable }: { readable: ReadableStream; writable: WritableStream },
  highWaterMark: number,
): Duplex {
  let failure: { reason: unknown } | undefined;
  let hasEnded = false;

  // `terminate` closes the output and fails the input with a TypeError: that is an early end, not an error.
  const checkEarlyEnd = (): void => {
    if (failure === undefined || stream.destroyed) return;
    if (!(failure.reason instanceof TypeError)) stream.destroy(toError(failure.reason));
    else if (hasEnded) {
      sink.discard();
      endEarly(stream);
    } else if (source.isReading) {
      // The end that belongs to a `terminate` needs no new turn: an output still silent then is open.
      setTimeout(() => {
        if (source.isReading) stream.destroy(toError(failure!.reason));
      }, 0);
    }
  };

  const stream: Duplex = new Duplex({
    objectMode: true,
    highWaterMark,
    read() {
      output.read();
      checkEarlyEnd();
    },
    write: (chunk, _encoding, callback) => input.write(chunk, callback),
    final: (callback) => input.close(callback),
    destroy(error, callback) {
      let waiting = 2;
      let firstError = error;
      const settle: Callback = (failure) => {
        // A pair that is one, such as a `TransformStream`, fails the one side with what the other was given.
        if (toReason(failure) !== toReason(error ?? undefined)) firstError ??= failure ?? null;
        if (--waiting === 0) callback(firstError);
      };
      output.destroy(error, settle);
      input.destroy(error, settle);
    },
  });
  const source = new WebSource(readable, () => {
    hasEnded = true;
    checkEarlyEnd();
  });
  const output = new SourceSide(stream, source);
  const sink = new WebSink(writable);
  const input = new SinkSide(sink, (reason) => {
    failure = { reason };
    checkEarlyEnd();
  }, true);
  input.start();
  trackSources(stream);
  return stream;
}

/** The underlying source that reads a `ReadableStream`, one chunk a pull, and lets go of it at its end. */
export class WebSource implements UnderlyingDefaultSource {
  readonly #reader: ReadableStreamDefaultReader<unknown>;
  readonly #onEnd: (() => void) | undefined;
  /** Whether a read waits for its chunk. */
  isReading = false;

  /** `onEnd` is called after the end was passed on. */
  constructor(readable: ReadableStream<unknown>, onEnd?: () => void) {
    this.#reader = readable.getReader();
    this.#onEnd = onEnd;
  }

  async pull(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
    this.isReading = true;
    const { done, value } = await this.#reader.read().catch((reason) => {
      this.#reader.releaseLock();
      throw reason;
    }).finally(() => this.isReading = false);
    if (!done) return controller.enqueue(value);
    this.#reader.releaseLock();
    controller.close();
    this.#onEnd?.();
  }

  async cancel(reason: unknown): Promise<void> {
    const cancelled = this.#reader.cancel(reason);
    this.#reader.releaseLock();
    await cancelled;
  }
}

const closedError = () => new TypeError("Cannot write: the stream is closed");

/** The underlying sink that feeds a `WritableStream`, as long as that wants more, as a pipe would. */
export class WebSink implements UnderlyingSink {
  readonly #writer: WritableStreamDefaultWriter<unknown>;
  #isOver = false;
  #isClosed = false;
  /** Whether it has refused a chunk. */
  #hasLost = false;
  #isDiscarding = false;
  #endWait: ((failure?: { readonly reason: unknown }) => void) | undefined;

  constructor(writable: WritableStream<unknown>) {
    this.#writer = writable.getWriter();
  }

  start(controller: WritableStreamDefaultController): void {
    // Every failure, of a write or of the close, arrives here once.
    this.#writer.closed.then(() => {
      this.#isClosed = true;
      this.#release();
      this.#endWait?.();
      // What was already being closed refuses a write and yet does not fail.
      if (this.#hasLost) controller.error(closedError());
    }, (reason) => {
      this.#release();
      controller.error(reason);
    });
    const { signal } = controller;
    signal.addEventListener("abort", () => this.#endWait?.({ reason: signal.reason }));
  }

  /** Writes once there is room, and waits for more only with bytes, which may change when a write has settled. */
  write(chunk: unknown): void | Promise<void> {
    if (this.#isDiscarding) return;
    if (this.#isClosed) throw closedError();
    if (this.#isOver || this.#writer.desiredSize! <= 0) {
      return this.#wait(() => this.#writer.ready, () => this.#hand(chunk));
    }
    const written = this.#hand(chunk);
    if (written !== undefined) return this.#wait(() => written);
  }

  async close(): Promise<void> {
    if (this.#isDiscarding || this.#isClosed) return;
    // A node stream that is destroyed asks no more how it was closed.
    await this.#wait(() => this.#writer.close()).catch(() => {});
  }

  /** Aborts what has not been closed. */
  async abort(reason: unknown): Promise<void> {
    if (this.#isOver) return;
    const aborted = this.#writer.abort(reason);
    this.#release();
    await aborted;
  }

  /** Takes whatever still comes and drops it, since it is no longer needed. */
  discard(): void {
    this.#isDiscarding = true;
    this.#endWait?.();
  }

  /** Answers what is to be waited for. */
  #hand(chunk: unknown): Promise<void> | undefined {
    const written = this.#writer.write(chunk);
    written.catch(() => this.#hasLost = true);
    return ArrayBuffer.isView(chunk) ? written : undefined;
  }

  /**
   * Waits until `work` has succeeded and `next` is done, the rest is discarded, or the sink is aborted: the controller
   * says what failed.
   */
  #wait(work: () => Promise<void>, next?: () => Promise<void> | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      this.#endWait = (failure) => {
        isOver = true;
        if (failure === undefined) resolve();
        else reject(failure.reason);
      };
      work().then(() => {
        const written = isOver ? undefined : next?.();
        if (written === undefined) resolve();
        else written.then(resolve, () => {});
      }, () => {});
    });
  }

  #release(): void {
    this.#isOver = true;
    this.#writer.releaseLock();
  }
}
