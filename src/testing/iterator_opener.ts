import { throwTypeError } from "../errors.ts";
import { iterableOpener } from "../iterable_opener.ts";
import { isStream, streamIterator } from "../stream_iterator.ts";

/** Finds how a stream or an iterable is opened; throws if `source`, which errors call `name`, is neither. */
export function iteratorOpener<T>(
  action: string,
  name: string,
  source: unknown,
): () => AsyncIterator<T> | Iterator<T> {
  // A stream's own iterator would cancel only once its read has settled.
  if (isStream(source)) return () => streamIterator(source as ReadableStream<T>);
  const opener = iterableOpener<T>(source);
  if (opener === undefined) throwTypeError(action, name, "a stream or an iterable", source);
  return () => opener.open();
}
