import { Duplex, type Readable, type Writable } from "node:stream";
import { checkOptions, throwTypeError } from "../src/errors.ts";
import type { Pair } from "../src/pair.ts";
import type { Callback } from "./call_back.ts";
import { checkHighWaterMark } from "./check_high_water_mark.ts";
import { endEarly, trackSources } from "./early_end.ts";
import { SinkSide, sinkWritable } from "./sink_side.ts";
import { sourceReadable, SourceSide } from "./source_side.ts";
import { toError, toReason } from "../src/source/stage_error.ts";
import { WebSink, WebSource } from "./web_ends.ts";

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
