import { throwTypeError } from "../errors.ts";
import { iterableOpener } from "../iterable_opener.ts";
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
  const opener = iterableOpener<T>(source);
  if (opener === undefined) {
    const need = "an iterable, an async iterable or a function";
    throwTypeError("create reader", "source", need, source);
  }
  return new IterableSource(opener.open(), batchSize, opener.isAsync);
}
