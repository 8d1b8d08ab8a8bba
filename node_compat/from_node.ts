import type { Duplex, Readable, Writable } from "node:stream";
import { checkOptions, throwTypeError } from "../src/errors.ts";
import { checkHighWaterMark } from "./check_high_water_mark.ts";
import { NodeSink } from "./node_sink.ts";
import { NodeSource } from "./node_source.ts";
import type { AdapterOptions } from "./to_node.ts";

/** Options of {@linkcode fromNode}. */
export interface FromNodeOptions extends AdapterOptions {
  /** Which side of the node stream is wanted, or both as a pair. @default {"readable"} */
  as?: "readable" | "writable" | "pair" | undefined;
}

const action = "convert from node";

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
 * Node streams cannot carry `null`: writing it fails with a `TypeError`.
 *
 * @typeParam T The type that the chunks read from it are taken to have; nothing checks it. Default: `unknown`.
 * @throws {TypeError} If `stream` is not a node stream or lacks the side, or an option is of the wrong type or unknown.
 * @throws {RangeError} If `highWaterMark` is out of range, or `as` none of its words.
 *
 * @example
 * ```ts
 * import { fromNode } from "@hosepipe/streams/node";
 * import { assertEquals } from "@std/assert";
 * import { Readable } from "node:stream";
 * import { createGunzip, createGzip } from "node:zlib";
 *
 * const text = fromNode(Readable.from(["Ada ", "Alan"]))
 *   .pipeThrough(fromNode<Uint8Array>(createGzip(), { as: "pair" }))
 *   .pipeThrough(fromNode<Uint8Array>(createGunzip(), { as: "pair" }));
 * assertEquals(await new Response(text).text(), "Ada Alan");
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
  const highWaterMark = checkHighWaterMark(action, options.highWaterMark);
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
  const readable = () => new ReadableStream(new NodeSource(stream as Readable), { highWaterMark });
  const writable = () => new WritableStream(new NodeSink(stream as Writable), { highWaterMark });
  if (as === "pair") return { readable: readable(), writable: writable() };
  return as === "readable" ? readable() : writable();
}
