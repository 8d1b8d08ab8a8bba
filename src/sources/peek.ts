import { asyncDispose } from "../async_dispose.ts";
import { checkInteger } from "../errors.ts";
import type { Source } from "../source_types.ts";
import { namedStream } from "./direct_stream.ts";
import { checkOneSource } from "./open_sources.ts";
import { RelayedSource } from "./relayed_source.ts";
import { SourceReader } from "./source_reader.ts";

/** What `peek` has seen, and the source with all of it. */
export interface Peeked<T> {
  /** The first chunks. */
  readonly chunks: readonly T[];
  /** All chunks, those included, with a `highWaterMark` of 0. */
  readonly source: ReadableStream<T>;
  /** Gives the source up, unless it has ended: what still reads it fails with an `AbortError`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Reads the first chunks of a source, and gives it back with all of them: to decide by them what to do, or to know of
 * an early failure while it can still be answered.
 *
 * Nothing is read beyond `n`, and nothing is lost. Its stream must be read, cancelled or disposed of, as by
 * `await using`.
 *
 * @typeParam T The type of the chunks.
 * @param source What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request`. A stream is locked at once.
 * @param n How many chunks. Default: 1.
 * @returns The chunks, fewer if the source ends before, and the source. Rejected if the source fails before.
 * @throws {TypeError} If `source` is none of these or locked, or `n` is not a number.
 * @throws {RangeError} If `n` is not a positive integer.
 *
 * @example The status of an answer
 * ```ts
 * import { peek } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * async function answer(rows: Iterable<string>): Promise<Response> {
 *   const { chunks, source } = await peek(rows);
 *   const status = chunks.length === 0 ? 404 : 200;
 *   return new Response(source.pipeThrough(new TextEncoderStream()), { status });
 * }
 *
 * assert.deepEqual((await answer([])).status, 404);
 * assert.deepEqual(await (await answer(["a", "b"])).text(), "ab");
 * ```
 */
export async function peek<T>(source: Source<T>, n: number = 1): Promise<Peeked<T>> {
  const action = "peek";
  const found = checkOneSource(action, source);
  checkInteger(action, "n", n, 1);
  const reader = new SourceReader<T>(found, "source of peek");
  const chunks: T[] = [];
  while (chunks.length < n) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
  }
  const peeked = new PeekedSource(chunks, reader);
  return {
    chunks,
    source: namedStream("peek", peeked),
    [asyncDispose]: () => peeked.dispose(),
  };
}

/** The underlying source that gives again what was read before, and then the rest. */
class PeekedSource<T> extends RelayedSource<T> {
  readonly #chunks: readonly T[];
  #index = 0;

  constructor(chunks: readonly T[], source: SourceReader<T>) {
    super(source);
    // What the caller does to the array is not the stream's.
    this.#chunks = [...chunks];
  }

  override pull(controller: ReadableStreamDefaultController<T>): void | Promise<void> {
    if (this.#index === this.#chunks.length) return super.pull(controller);
    controller.enqueue(this.#chunks[this.#index++]!);
  }

  async dispose(): Promise<void> {
    if (this.isOver) return;
    await this.giveUp(new DOMException("Cannot read: the source was disposed of", "AbortError"));
  }
}
