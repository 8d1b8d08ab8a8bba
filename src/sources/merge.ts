import { Fifo } from "../fifo.ts";
import type { Sources } from "../source_types.ts";
import { directStream } from "./direct_stream.ts";
import { type Joined, Joining } from "./joining.ts";
import { checkSources, nameOfArgument, openSources, sourcesOf } from "./open_sources.ts";

/**
 * Joins sources into one stream that gives their chunks as they arrive.
 *
 * Nothing is read before the first read; then at most one read of each source is pending, and no source
 * starves. The stream ends when all have ended. The first failure is the stream's, after the chunks that
 * came before it, and the other sources are cancelled with it. Cancelling reaches all of them.
 *
 * @typeParam Chunks The types of the sources' chunks.
 * @param sources What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request` each. Streams are locked at once.
 * @returns A stream with a `highWaterMark` of 0.
 * @throws {TypeError} If a source is none of these, is locked, or is the same stream as another.
 *
 * @example Two feeds
 * ```ts
 * import { merge } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * async function* countTo(count: number) {
 *   for (let n = 1; n <= count; n++) yield n;
 * }
 *
 * const merged = await Array.fromAsync(merge(countTo(3), [10, 20]));
 * assert.deepEqual(merged.toSorted((a, b) => a - b), [1, 2, 3, 10, 20]);
 * ```
 */
export function merge<Chunks extends unknown[]>(
  ...sources: Sources<Chunks>
): ReadableStream<Chunks[number]> {
  const found = checkSources("create merge", sources, nameOfArgument);
  return directStream(
    new Merging<Chunks[number]>(openSources(found, sourcesOf("merge"))),
    "merge",
    true,
  );
}

/** Gives what several sources give, in the order of arrival, and reads no further while a chunk waits. */
class Merging<T> extends Joining<T> {
  readonly #arrived = new Fifo();

  override waiting(): string | undefined {
    return this.#arrived.length > 0 ? undefined : super.waiting();
  }

  protected override take(entry: Joined, chunk: unknown): void {
    entry.chunk = chunk;
    this.#arrived.push(entry);
  }

  protected override give(): boolean {
    if (this.#arrived.length === 0) return false;
    const entry = this.#arrived.shift() as Joined;
    const chunk = entry.chunk as T;
    entry.chunk = undefined;
    this.idle.push(entry);
    return this.enqueue(chunk);
  }
}
