import { Duplex, Readable, Writable } from "node:stream";
import { checkOptions, throwTypeError } from "../src/errors.ts";
import { checkHighWaterMark } from "./check_high_water_mark.ts";
import { endEarly, trackSources } from "./early_end.ts";
import { ReadSide } from "./read_side.ts";
import { toError, toReason } from "./stage_error.ts";
import { WriteSide } from "./write_side.ts";

/** Options of {@linkcode toNode} and {@linkcode fromNode}. */
export interface AdapterOptions {
  /** The threshold, in chunks, of each buffer that the adapter adds. @default {1} */
  highWaterMark?: number;
}

type Callback = (error?: Error | null) => void;

/** Waits for the clean-up, whose own failure is told if nothing has failed before it. */
async function settle(
  work: Promise<unknown>[],
  error: Error | null,
  callback: Callback,
): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === "rejected");
  callback(
    error ?? (failed === undefined ? null : toError((failed as PromiseRejectedResult).reason)),
  );
}

function toReadable(readable: ReadableStream, highWaterMark: number): Readable {
  const side = new ReadSide(readable);
  return new Readable({
    objectMode: true,
    highWaterMark,
    read() {
      side.read(this);
    },
    destroy: (error, callback) =>
      void settle([side.cancel(toReason(error ?? undefined))], error, callback),
  });
}

function toWritable(writable: WritableStream, highWaterMark: number): Writable {
  const side = new WriteSide(writable, (reason) => stream.destroy(toError(reason)));
  const stream = new Writable({
    objectMode: true,
    highWaterMark,
    write: (chunk, _encoding, callback) => side.write(chunk, callback),
    final: (callback) => side.close(callback),
    destroy: (error, callback) =>
      void settle([side.abort(toReason(error ?? undefined))], error, callback),
  });
  return stream;
}

function toDuplex({ readable, writable }: Pair, highWaterMark: number): Duplex {
  let failure: { reason: unknown } | undefined;
  let ended = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  // `terminate` closes the output and fails the input with a TypeError: that is an early end, not an error.
  const checkEarlyEnd = (): void => {
    if (failure === undefined || stream.destroyed) return;
    if (!(failure.reason instanceof TypeError)) stream.destroy(toError(failure.reason));
    else if (ended) {
      input.discard();
      endEarly(stream);
    } else if (output.pending && timer === undefined) {
      // The end that belongs to a `terminate` needs no new turn: an output still silent then is open.
      timer = setTimeout(() => {
        timer = undefined;
        if (output.pending) stream.destroy(toError(failure!.reason));
      }, 0);
    }
  };

  const output = new ReadSide(readable);
  const input = new WriteSide(writable, (reason) => {
    failure = { reason };
    checkEarlyEnd();
  });
  const stream = new Duplex({
    objectMode: true,
    highWaterMark,
    read() {
      output.read(this, () => {
        ended = true;
        checkEarlyEnd();
      });
      checkEarlyEnd();
    },
    write: (chunk, _encoding, callback) => input.write(chunk, callback),
    final: (callback) => input.close(callback),
    destroy(error, callback) {
      clearTimeout(timer);
      const reason = toReason(error ?? undefined);
      void settle([output.cancel(reason), input.abort(reason)], error, callback);
    },
  });
  trackSources(stream);
  return stream;
}

interface Pair {
  readable: ReadableStream;
  writable: WritableStream;
}

/**
 * Gives a Web stream, or a pair of them, the face of an object-mode node stream.
 *
 * Backpressure and counts are kept: nothing is read before node asks, and reading `k` chunks pulls at most `k` plus
 * the sum of the high-water marks. `destroy(error)` cancels or aborts with the error, and the Web stream's own
 * error destroys the node stream; a falsy one arrives as a {@linkcode StageError}. The Web stream is locked until then.
 * A pair whose readable ends while its writable fails with a `TypeError`, as `terminate` does, has ended early:
 * what is piped into it is stopped and destroyed.
 *
 * Node streams cannot carry `null`: a readable that gives it is cancelled with a `TypeError`.
 *
 * @throws {TypeError} If `stream` is no Web stream or locked, or an option is of the wrong type or unknown.
 * @throws {RangeError} If `highWaterMark` is out of range.
 *
 * @example
 * ```ts
 * import { toNode } from "@hosepipe/streams/node";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(await toNode(ReadableStream.from([1, 2, 3])).toArray(), [1, 2, 3]);
 * ```
 */
export function toNode(stream: ReadableStream, options?: AdapterOptions): Readable;
/** Gives a `WritableStream` the face of a node `Writable`. */
export function toNode(stream: WritableStream, options?: AdapterOptions): Writable;
/** Gives a pair, such as a `TransformStream`, the face of a node `Duplex`. */
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
  if (stream instanceof ReadableStream) return toReadable(stream, highWaterMark);
  if (stream instanceof WritableStream) return toWritable(stream, highWaterMark);
  if (stream?.readable instanceof ReadableStream && stream.writable instanceof WritableStream) {
    return toDuplex(stream, highWaterMark);
  }
  return throwTypeError(
    action,
    "stream",
    "a ReadableStream, a WritableStream or a pair of them",
    stream,
  );
}
