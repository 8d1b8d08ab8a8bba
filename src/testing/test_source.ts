import { readEndOptions } from "./end_settings.ts";
import { HeldSource } from "./held_source.ts";
import { openIterator, openNodeReadable, openReadable } from "./source_forms.ts";
import type { TestSource, TestSourceOptions } from "./test_end_types.ts";

/**
 * Makes a source that a test holds: it gives, fails and ends by hand, and says how often it has been asked.
 *
 * It is one stream, in the form in which it is taken first: `readable`, an async iterable, or
 * `toNode(Readable)` with the class of `node:stream`. A wait that never ends fails the test with a diagram of its buffers.
 *
 * @typeParam T The type of the chunks.
 * @param options `highWaterMark`: of the stream's queue (default: 0); `size`: of a chunk (default: 1 for each);
 * `cancel`: called with the reason when it is cancelled; `limitMs`: how long a wait lasts in real time (default: 1000).
 * @returns The source.
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If `highWaterMark` is negative, or `limitMs` is not a positive integer.
 *
 * @example A stage that reads no more than it needs
 * ```ts
 * import { pipeline, take } from "@hosepipe/streams";
 * import { testSource } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const source = testSource<string>();
 * const seen: string[] = [];
 * const run = pipeline(source.readable, take<string>(2), (chunk) => void seen.push(chunk));
 *
 * await source.pulled(1);
 * await source.expectNothing();
 * source.give("a", "b", "c");
 * await source.cancelled;
 * await run;
 *
 * assert.deepEqual([seen, source.pulls], [["a", "b"], 2]);
 * ```
 */
export function testSource<T = unknown>(options: TestSourceOptions<T> = {}): TestSource<T> {
  const action = "create test source";
  const source = new HeldSource<T>(readEndOptions(action, options, 0, ["cancel"]));
  const { cancel } = options;
  let readable: ReadableStream<T> | undefined;
  return {
    get readable() {
      return readable ??= openReadable(source, cancel);
    },
    toNode: (Readable) => openNodeReadable(source, Readable, cancel),
    [Symbol.asyncIterator]: () => openIterator(source, cancel),
    get pulls() {
      return source.pulls;
    },
    get state() {
      return source.state;
    },
    give: (...chunks) => source.give(chunks),
    end: () => source.end(),
    fail: (reason) => source.fail(reason),
    pulled: (count) => source.pulled(count),
    get cancelled() {
      return source.cancelled();
    },
    expectNothing: () => source.expectNothing(),
    toString: () => source.draw().join("\n"),
  };
}
