import type { BatchFunction } from "./batch_source.ts";

/** What `reader` reads; promises in an iterable are awaited. */
export type ReaderSource<T> =
  | (Iterable<T | PromiseLike<T>> & object)
  | AsyncIterable<T>
  | BatchFunction<T>;
