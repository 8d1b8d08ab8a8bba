import type { WithBody, WithStream } from "./body_of.ts";
import type { StreamOf } from "./web_types.ts";

/** What can be read from: a `ReadableStream`, an iterable, an async iterable, a `Blob`, a `Response` or a `Request`. */
export type Source<T> =
  | StreamOf<T>
  | Iterable<T | PromiseLike<T>>
  | AsyncIterable<T>
  | WithBody<T>
  | WithStream<T>;

/** Sources of the chunk types in the tuple `Chunks`. */
export type Sources<Chunks extends readonly unknown[]> = {
  [Index in keyof Chunks]: Source<Chunks[Index]>;
};
