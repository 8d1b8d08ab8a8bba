import { makeReadable } from "./probing.ts";

/** A stream of chunks that is read only on demand. */
export function from<T>(chunks: Iterable<T>): ReadableStream<T> {
  const iterator = chunks[Symbol.iterator]();
  return makeReadable({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
}
