import { setEndMeaning } from "../kernels/end_meaning.ts";
import { setDirectRead } from "../source/direct_read.ts";
import { openStream } from "../source/open_source.ts";
import { sourceIterator } from "../source/source_iterator.ts";
import type { SayingSource } from "./named_stream.ts";
import { DirectIterator } from "./direct_iterator.ts";
import { DirectSource } from "./direct_source.ts";

/**
 * Makes the stream of a source that gives one chunk for each `pull`, by the controller it started with, and fails by it
 * too. With `gathers` a read is answered by a promise, so that what comes in one go is read in one. A pipeline and `for await` read past the stream, which keeps no chunk.
 */
export function directStream<T>(
  source: SayingSource<T>,
  name: string,
  gathers = false,
): ReadableStream<T> {
  const direct = new DirectSource(source, gathers);
  const stream = new ReadableStream<T>(direct, { highWaterMark: 0 });
  setDirectRead(stream, direct);
  setEndMeaning(stream, { name, waiting: () => source.waiting?.() });
  const values = (options: { preventCancel?: boolean } = {}) =>
    direct.isClear
      ? new DirectIterator<T>(stream.getReader(), direct, options.preventCancel ?? false)
      : ReadableStream.prototype.values?.call(stream, options) ??
        sourceIterator(openStream(stream));
  const property = { value: values, configurable: true, writable: true };
  return Object.defineProperties(stream, { values: property, [Symbol.asyncIterator]: property });
}
