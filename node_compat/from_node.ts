import { Buffer } from "node:buffer";
import { type Duplex, finished, type Readable, type Writable } from "node:stream";
import { checkOptions, throwTypeError } from "../src/errors.ts";
import { checkHighWaterMark } from "./check_high_water_mark.ts";
import { toError, toReason } from "./stage_error.ts";
import type { AdapterOptions } from "./to_node.ts";

const ignore = (): void => {};

/** Tells, once, how `stream` came to its end; leaves no listener behind once it is closed. */
function watch(
  stream: Readable | Writable,
  side: { readable?: boolean; writable?: boolean },
  onEnd: (failure?: { reason: unknown }) => void,
): void {
  // Ours is not the last error listener to go: one that comes after the end must not crash the process.
  stream.on("error", ignore);
  let told = false;
  const forget = finished(stream, side, (error) => {
    if (told) return;
    told = true;
    onEnd(error == null ? undefined : { reason: toReason(error) });
    if (stream.closed) clean();
  });
  const clean = (): void => {
    forget();
    stream.off("close", clean).off("error", ignore);
  };
  stream.once("close", () => queueMicrotask(clean));
}

type States = Record<"_readableState" | "_writableState", { emitClose?: boolean } | undefined>;

/** Destroys `stream` and waits until it is closed; fails if the clean-up does. */
function destroy(stream: Readable | Writable, error?: Error): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed) return resolve();
    const onError = (failure: unknown): void => {
      if (failure !== error) reject(toReason(failure));
    };
    stream.on("error", onError).once("close", () => {
      stream.off("error", onError);
      resolve();
    });
    stream.destroy(error);
    const { _readableState: readState, _writableState: writeState } = stream as unknown as States;
    // A stream made with `emitClose: false` never tells that it is closed.
    if ((readState ?? writeState)?.emitClose === false) resolve();
  });
}

function fromReadable(stream: Readable, highWaterMark: number): ReadableStream {
  let waiting: (() => void) | undefined;
  let listening = false;
  let over = false;

  const wake = (): void => {
    const resolve = waiting;
    waiting = undefined;
    resolve?.();
  };

  return new ReadableStream({
    start(controller) {
      watch(stream, { writable: false }, (failure) => {
        stream.off("readable", wake);
        wake();
        if (over) return;
        over = true;
        if (failure === undefined) controller.close();
        else controller.error(failure.reason);
      });
    },
    async pull(controller) {
      if (!listening && !over) {
        listening = true;
        stream.on("readable", wake);
      }
      while (!over) {
        const chunk: unknown = stream.read();
        if (chunk !== null) {
          const isBytes = !stream.readableObjectMode && Buffer.isBuffer(chunk);
          controller.enqueue(
            isBytes ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk,
          );
          return;
        }
        await new Promise<void>((resolve) => waiting = resolve);
      }
    },
    cancel(reason) {
      over = true;
      wake();
      return destroy(stream, reason === undefined ? undefined : toError(reason));
    },
  }, { highWaterMark });
}

function fromWritable(stream: Writable, highWaterMark: number): WritableStream {
  let waiting: { resolve: () => void; reject: (reason: unknown) => void } | undefined;
  let closing = false;
  let failure: { reason: unknown } | undefined;

  const wait = (): Promise<void> =>
    new Promise((resolve, reject) => {
      if (failure === undefined) waiting = { resolve, reject };
      else reject(failure.reason);
    });
  const onDrain = (): void => {
    if (!closing) waiting?.resolve();
  };

  return new WritableStream({
    start(controller) {
      stream.on("drain", onDrain);
      watch(stream, { readable: false }, (result) => {
        stream.off("drain", onDrain);
        failure = result;
        if (!closing) {
          failure ??= { reason: new TypeError("Cannot write: the node stream has ended") };
        }
        if (failure === undefined) return waiting?.resolve();
        waiting?.reject(failure.reason);
        controller.error(failure.reason);
      });
    },
    write(chunk) {
      try {
        if (chunk === null) {
          throw new TypeError("Cannot write: a node stream cannot carry null, which is its end");
        }
        if (!stream.write(chunk)) return wait();
      } catch (reason) {
        // The Web stream fails by itself; the node stream must learn of it.
        stream.destroy(toError(reason));
        throw reason;
      }
    },
    close() {
      closing = true;
      const end = wait();
      stream.end();
      return end;
    },
    abort: (reason) => destroy(stream, toError(reason)),
  }, { highWaterMark });
}

/**
 * Gives a node stream the face of a Web stream; a `Duplex`, that of a `{ readable, writable }` pair.
 *
 * Backpressure and counts are kept: the adapter adds `highWaterMark` chunks to the node stream's own buffer, whatever
 * their size. `cancel(reason)` and `abort(reason)` destroy the node stream with the reason (`cancel()` without one), and
 * its error fails the Web stream, a {@linkcode StageError} by the value within. A node stream that is closed before
 * its end fails with `ERR_STREAM_PREMATURE_CLOSE`. Bytes arrive as plain `Uint8Array`s, objects as they are.
 *
 * Node streams cannot carry `null`: writing it fails with a `TypeError`.
 *
 * @throws {TypeError} If `stream` is no node stream, or an option is of the wrong type or unknown.
 * @throws {RangeError} If `highWaterMark` is out of range.
 *
 * @example
 * ```ts
 * import { fromNode } from "@hosepipe/streams/node";
 * import { assertEquals } from "@std/assert";
 * import { Readable } from "node:stream";
 *
 * assertEquals(await Array.fromAsync(fromNode(Readable.from([1, 2, 3]))), [1, 2, 3]);
 * ```
 */
export function fromNode(
  stream: Duplex,
  options?: AdapterOptions,
): { readable: ReadableStream; writable: WritableStream };
/** Gives a node `Readable` the face of a `ReadableStream`. */
export function fromNode(stream: Readable, options?: AdapterOptions): ReadableStream;
/** Gives a node `Writable` the face of a `WritableStream`. */
export function fromNode(stream: Writable, options?: AdapterOptions): WritableStream;
export function fromNode(
  stream: Readable | Writable | Duplex,
  options: AdapterOptions = {},
): ReadableStream | WritableStream | { readable: ReadableStream; writable: WritableStream } {
  const action = "convert from node";
  checkOptions(action, options, ["highWaterMark"]);
  const highWaterMark = checkHighWaterMark(action, options.highWaterMark);
  const { read, write, on } = Object(stream) as Partial<Duplex>;
  const isReadable = typeof read === "function" && typeof on === "function";
  const isWritable = typeof write === "function" && typeof on === "function";
  if (isReadable && isWritable) {
    return {
      readable: fromReadable(stream as Duplex, highWaterMark),
      writable: fromWritable(stream as Duplex, highWaterMark),
    };
  }
  if (isReadable) return fromReadable(stream as Readable, highWaterMark);
  if (isWritable) return fromWritable(stream as Writable, highWaterMark);
  return throwTypeError(action, "stream", "a node stream", stream);
}
