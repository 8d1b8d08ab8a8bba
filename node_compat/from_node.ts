import { type Duplex, type Readable, Transform, type Writable } from "node:stream";
import { checkOptions, throwTypeError } from "../src/errors.ts";
import { endMeaningOf, setEndMeaning } from "../src/kernels/end_meaning.ts";
import { checkHighWaterMark } from "./check_high_water_mark.ts";
import { NodeSink } from "./node_sink.ts";
import type { AdapterOptions } from "./to_node.ts";
import { WriteStream } from "node:fs";
import { OutgoingMessage } from "node:http";
import { Socket } from "node:net";
import * as zlib from "node:zlib";
import { isStandard } from "../src/standard_stream.ts";
import { Buffer } from "node:buffer";
import { NodeRead } from "../src/source/node_read.ts";
import type { UnderlyingDefaultSource } from "../src/web_types.ts";

/** Options of {@linkcode fromNode}. */
export interface FromNodeOptions extends AdapterOptions {
  /** Which side of the node stream is wanted, or both as a pair. @default {"readable"} */
  as?: "readable" | "writable" | "pair" | undefined;
}

const action = "convert from node";

interface Adapter<Web, End> {
  readonly web: Web;
  readonly end: End;
  readonly mark: number;
}

const readables = new WeakMap<object, Adapter<ReadableStream, NodeSource>>();
const writables = new WeakMap<object, readonly Adapter<WritableStream, NodeSink>[]>();

/** What reads a stream: one for all, since what one has read ahead another would miss. */
function toReadable(stream: Readable, mark: number | undefined): ReadableStream {
  const known = readables.get(stream);
  if (known !== undefined && !known.end.isCancelled) {
    if ((mark ?? known.mark) === known.mark) return known.web;
    throw new TypeError(
      `Cannot ${action}: the stream is read already, with a highWaterMark of ${known.mark}`,
    );
  }
  const end = new NodeSource(stream);
  const web = new ReadableStream(end, { highWaterMark: mark ?? 1 });
  readables.set(stream, { web, end, mark: mark ?? 1 });
  return web;
}

/** What writes to a stream: one that no run uses, so that listeners do not pile up, or another. */
function toWritable(stream: Writable, mark: number | undefined): WritableStream {
  const open = (writables.get(stream) ?? []).filter(({ end }) => !end.isOver);
  const free = open.find((known) => !known.web.locked && (mark ?? known.mark) === known.mark);
  if (free !== undefined) return free.web;
  const end = new NodeSink(stream);
  const web = new WritableStream(end, { highWaterMark: mark ?? 1 });
  const rest = endMeaningOf(stream)?.written;
  setEndMeaning(web, {
    written: rest === undefined ? () => end.written() : async () => {
      await end.written();
      await rest();
    },
    takesAnyBytes: takesAnyBytes(stream),
  });
  writables.set(stream, [...open, { web, end, mark: mark ?? 1 }]);
  return web;
}

/** Whether `stream` has that side: a `Duplex` may have been made without one. */
function hasSide(stream: unknown, side: "readable" | "writable"): boolean {
  const { on, read, write, _readableState, _writableState } = Object(stream);
  const [method, state] = side === "readable" ? [read, _readableState] : [write, _writableState];
  return typeof on === "function" && typeof method === "function" && state?.[side] !== false;
}

/**
 * Turns a node stream into a Web stream; `as` says which kind. A node stream's type does not say whether it is a
 * `Duplex`, and runtimes differ (`child.stdout` is one in Node and not in Bun), so you choose:
 *
 * | stream                                | call                            | gives                    |
 * | ------------------------------------- | ------------------------------- | ------------------------ |
 * | `child.stdout`, a request, `Readable` | `fromNode(x)`                   | a `ReadableStream`       |
 * | `child.stdin`, a response, `Writable` | `fromNode(x, { as: "writable" })` | a `WritableStream`     |
 * | a socket, `createGzip()`, any `Duplex` | `fromNode(x, { as: "pair" })`  | `{ readable, writable }` |
 *
 * Backpressure and counts are kept: the adapter adds `highWaterMark` chunks to the node stream's own buffer, whatever
 * their size. `cancel(reason)` and `abort(reason)` destroy the node stream, both its sides, with the reason (`cancel()`
 * without one), and its error fails the Web stream, a {@linkcode StageError} by the value within. A node stream that is
 * closed before its end fails with `ERR_STREAM_PREMATURE_CLOSE`. Bytes arrive as plain `Uint8Array`s, objects as they
 * are.
 *
 * Bytes that were written may be changed once the write has settled: what node keeps is copied, except in object mode,
 * where it is waited for. A stream that is left open keeps its adapter, so that a second call gives the same Web stream.
 * The process's own streams are never ended nor destroyed: to close one is to wait until all is written, and an input
 * that is given up is paused.
 *
 * `pipeline` joins small chunks before files, sockets, HTTP messages, compressions and the process's own streams: they
 * are written in blocks of up to 64 KiB, before the run waits. All other streams are given each chunk.
 *
 * Node streams cannot carry `null`: writing it fails with a `TypeError`.
 *
 * @typeParam T The type that the chunks read from it are taken to have; nothing checks it. Default: `unknown`.
 * @throws {TypeError} If `stream` is not a node stream or lacks the side, is read already with another `highWaterMark`,
 * or an option is of the wrong type or unknown.
 * @throws {RangeError} If `highWaterMark` is out of range, or `as` none of its words.
 *
 * @example
 * ```ts
 * import { fromNode } from "@hosepipe/streams/node";
 * import assert from "node:assert/strict";
 * import { Readable } from "node:stream";
 * import { createGunzip, createGzip } from "node:zlib";
 *
 * const text = fromNode(Readable.from(["Ada ", "Alan"]))
 *   .pipeThrough(fromNode<Uint8Array>(createGzip(), { as: "pair" }))
 *   .pipeThrough(fromNode<Uint8Array>(createGunzip(), { as: "pair" }));
 * assert.deepEqual(await new Response(text).text(), "Ada Alan");
 * ```
 */
export function fromNode<T = unknown>(
  stream: Readable,
  options?: FromNodeOptions & { as?: "readable" | undefined },
): ReadableStream<T>;
/** Turns the writable side of a node stream into a `WritableStream`. */
export function fromNode(
  stream: Writable,
  options: FromNodeOptions & { as: "writable" },
): WritableStream;
/** Turns a node `Duplex` into a pair. */
export function fromNode<T = unknown>(
  stream: Duplex,
  options: FromNodeOptions & { as: "pair" },
): { readable: ReadableStream<T>; writable: WritableStream };
export function fromNode(
  stream: Readable | Writable | Duplex,
  options: FromNodeOptions = {},
): ReadableStream | WritableStream | { readable: ReadableStream; writable: WritableStream } {
  checkOptions(action, options, ["as", "highWaterMark"]);
  const given = options.highWaterMark;
  const mark = given === undefined ? undefined : checkHighWaterMark(action, given);
  const { as = "readable" } = options;
  if (as !== "readable" && as !== "writable" && as !== "pair") {
    throw new RangeError(
      `Cannot ${action}: as must be "readable", "writable" or "pair", got ${String(as)}`,
    );
  }
  const wanted = as === "pair" ? ["readable", "writable"] as const : [as];
  const missing = wanted.find((side) => !hasSide(stream, side));
  if (missing !== undefined) {
    const other = missing === "readable" ? "writable" : "readable";
    if (!hasSide(stream, other)) throwTypeError(action, "stream", "a node stream", stream);
    const advice = `use fromNode(stream, { as: "${other}" })`;
    throw new TypeError(`Cannot ${action}: the stream has no ${missing} side; ${advice}`);
  }
  if (as === "readable") return toReadable(stream as Readable, mark);
  if (as === "writable") return toWritable(stream as Writable, mark);
  return {
    readable: toReadable(stream as Readable, mark),
    writable: toWritable(stream as Writable, mark),
  };
}

/** Whether only the bytes of what a stream is given matter: files, sockets, HTTP messages, compression, and what inherits. */
export function takesAnyBytes(stream: Writable): boolean {
  if (stream.writableObjectMode) return false;
  const { _writableState: state } = stream as { _writableState?: { defaultEncoding?: string } };
  // Base64 and hex of two texts are not those of both in one.
  if (!/^utf-?8$/i.test(state?.defaultEncoding ?? "utf8")) return false;
  if (isStandard(stream)) return true;
  if (
    stream instanceof WriteStream || stream instanceof Socket || stream instanceof OutgoingMessage
  ) return true;
  // The base of its classes node:zlib does not export.
  return Object.values<unknown>(zlib).some((one) =>
    typeof one === "function" && one.prototype instanceof Transform && stream instanceof one
  );
}

/** The underlying source that reads a node `Readable`, one chunk a pull. */
export class NodeSource implements UnderlyingDefaultSource {
  readonly #stream: Readable;
  #read!: NodeRead;
  isCancelled = false;

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  start(controller: ReadableStreamDefaultController<unknown>): void {
    this.#read = new NodeRead(this.#stream, (failure) => {
      if (failure === undefined) controller.close();
      else controller.error(failure.reason);
    });
  }

  async pull(controller: ReadableStreamDefaultController<unknown>): Promise<void> {
    const read = this.#read;
    while (!read.isOver) {
      const chunk = read.take();
      if (chunk === null) await read.wait();
      else {
        const isBytes = !this.#stream.readableObjectMode && Buffer.isBuffer(chunk);
        return controller.enqueue(
          isBytes ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk,
        );
      }
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.isCancelled = true;
    return this.#read.cancel(reason);
  }
}
