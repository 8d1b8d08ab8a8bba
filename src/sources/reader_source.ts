import type { BatchFunction } from "./batch_source.ts";

/** What `reader` reads. */
export type ReaderSource<T> = Iterable<T> | AsyncIterable<T> | BatchFunction<T>;
