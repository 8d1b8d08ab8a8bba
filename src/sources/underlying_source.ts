import { throwTypeError } from "../errors.ts";
import { findSource } from "../source/find_source.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { BatchSource } from "./batch_source.ts";
import { IterableSource } from "./iterable_source.ts";
import type { ReaderSource } from "./reader_source.ts";

/** The underlying source behind `reader`, of whichever API: one read takes `batchSize` chunks. */
export function underlyingSource<T>(
  source: ReaderSource<T>,
  batchSize: number,
): UnderlyingDefaultSource<T> {
  if (typeof source === "function") {
    // Each call would begin again, forever.
    if (/GeneratorFunction\]$/.test(Object.prototype.toString.call(source))) {
      throw new TypeError(
        "Cannot create reader: source is a generator function; call it, as in reader(numbers())",
      );
    }
    return new BatchSource(source, batchSize);
  }
  const action = "create reader";
  const found = findSource(action, source, "source");
  if (found === undefined) {
    throwTypeError(action, "source", "an iterable, an async iterable or a function", source);
  }
  const iterator = found.iterate() as Iterator<T> | AsyncIterator<T>;
  return new IterableSource(iterator, batchSize, found.isAsync);
}
