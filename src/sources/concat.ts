import { directStream } from "./direct_stream.ts";
import { checkSources, nameOfArgument, openSources, sourcesOf } from "./open_sources.ts";
import { Concatenation } from "./concatenation.ts";
import type { Source } from "../source_types.ts";

/** A source of `concat`, or a function that opens one when its turn comes. */
export type ConcatSource<T> = Source<T> | (() => Source<T> | PromiseLike<Source<T>>);

/** Sources of `concat` of the chunk types in the tuple `Chunks`. */
export type ConcatSources<Chunks extends readonly unknown[]> = {
  [Index in keyof Chunks]: ConcatSource<Chunks[Index]>;
};

/**
 * Joins sources into one stream that gives all chunks of the first, then all of the second, and so on.
 *
 * Only one source is read at a time, and only on demand. A function opens its source when its turn comes,
 * and not at all if it never does. A failure is the stream's, and cancels the sources after it. Cancelling
 * reaches the open source and all after it but those that are functions.
 *
 * @typeParam Chunks The types of the sources' chunks.
 * @param sources What to read: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or
 * a `Request` each, or a function that gives one of these or a promise of it. Streams are locked at once.
 * @returns A stream with a `highWaterMark` of 0.
 * @throws {TypeError} If a source is none of these, is locked, or is the same stream as another.
 *
 * @example A heading before rows that are fetched later
 * ```ts
 * import { concat } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const openRows = () => Promise.resolve(new Response("Ada;36\n"));
 * const table = concat([new TextEncoder().encode("name;age\n")], openRows);
 *
 * assertEquals(await new Response(table).text(), "name;age\nAda;36\n");
 * ```
 */
export function concat<Chunks extends unknown[]>(
  ...sources: ConcatSources<Chunks>
): ReadableStream<Chunks[number]> {
  const action = "create concat";
  const indexes = [...sources.keys()].filter((index) => typeof sources[index] !== "function");
  const found = checkSources(
    action,
    indexes.map((index) => sources[index]),
    (index) => nameOfArgument(indexes[index]!),
  );
  const opened = openSources(found, (index) => sourcesOf("concat")(indexes[index]!)).values();
  const parts = sources.map((source) =>
    typeof source === "function" ? source as () => unknown : opened.next().value!
  );
  return directStream(new Concatenation<Chunks[number]>(action, parts), "concat");
}
