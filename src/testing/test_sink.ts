import { checkInteger } from "../errors.ts";
import { readEndOptions } from "./end_settings.ts";
import { HeldSink } from "./held_sink.ts";
import { openNodeWritable, openWritable, readWithSink } from "./sink_forms.ts";
import type { TestSink, TestSinkOptions } from "./test_end_types.ts";

/**
 * Makes a sink that a test holds: it takes what is requested, a chunk at a time, and fails by hand.
 *
 * It is one stream, in the form in which it is taken first: `writable`; what `readFrom` reads, which is a stream or an
 * iterable; or `toNode(Writable)` with the class of `node:stream`. A write that is not requested waits. A wait that
 * never ends fails the test with a diagram of its buffers.
 *
 * @typeParam T The type of the chunks.
 * @param options `requested`: how many chunks it takes from the beginning (default: 0); `highWaterMark`: of the stream's
 * queue (default: 1); `size`: of a chunk (default: 1 for each); `close`, `abort`: called where it ends; `limitMs`: how
 * long a wait lasts in real time (default: 1000).
 * @returns The sink.
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If `highWaterMark` is negative, `requested` is not a non-negative integer, or `limitMs` not a
 * positive one.
 *
 * @example A join, chunk by chunk
 * ```ts
 * import { merge } from "@hosepipe/streams";
 * import { testSink, testSource } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const [left, right] = [testSource<string>(), testSource<string>()];
 * const sink = testSink<string>();
 * sink.readFrom(merge(left.readable, right.readable));
 *
 * right.give("b");
 * assert.deepEqual(await sink.next(), "b");
 * await sink.expectNothing();
 * left.end();
 * right.end();
 * sink.request(1);
 * await sink.closed;
 * ```
 */
export function testSink<T = unknown>(options: TestSinkOptions<T> = {}): TestSink<T> {
  const action = "create test sink";
  const settings = readEndOptions(action, options, 1, ["close", "abort"], ["requested"]);
  const { requested = 0 } = options;
  checkInteger(action, "requested", requested, 0, true);
  const sink = new HeldSink<T>(settings, requested);
  let writable: WritableStream<T> | undefined;
  return {
    get writable() {
      return writable ??= openWritable(sink, options);
    },
    toNode: (Writable) => openNodeWritable(sink, Writable, options),
    get taken() {
      return [...sink.taken];
    },
    get state() {
      return sink.state;
    },
    readFrom: (source) => readWithSink(sink, source, options),
    request: (count) => sink.request(count),
    next: () => sink.next(),
    get closed() {
      return sink.closed();
    },
    get aborted() {
      return sink.aborted();
    },
    fail: (reason) => sink.fail(reason),
    expectNothing: () => sink.expectNothing(),
    toString: () => sink.draw().join("\n"),
  };
}
