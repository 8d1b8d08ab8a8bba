import type { WithBody, WithStream } from "./body_of.ts";
import type { StreamOf } from "./web_types.ts";

/**
 * What can be read from: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or a `Request`.
 *
 * Wherever a source stands, also one that a function gives: promises in an iterable are awaited one after the other, as
 * by `ReadableStream.from()`, and one that is rejected is the source's failure; a text and bytes are refused, since
 * their characters and numbers would be the chunks: put them in an array. What is given up is cancelled at once, even
 * while it is waited for: a stream by its reader, a stream of Node by `destroy()`, anything else by its `return()`.
 */
export type Source<T> =
  | StreamOf<T>
  | (Iterable<T | PromiseLike<T>> & object)
  | AsyncIterable<T>
  | WithBody<T>
  | WithStream<T>;

/** Sources of the chunk types in the tuple `Chunks`. */
export type Sources<Chunks extends readonly unknown[]> = {
  [Index in keyof Chunks]: Source<Chunks[Index]>;
};
