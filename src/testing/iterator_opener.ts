import { throwTypeError } from "../errors.ts";
import { findSource } from "../source/find_source.ts";

/** Finds how a stream or an iterable is opened; throws if `source`, which errors call `name`, is neither. */
export function iteratorOpener<T>(
  action: string,
  name: string,
  source: unknown,
): () => AsyncIterator<T> | Iterator<T> {
  const found = findSource(action, source, name);
  if (found === undefined) throwTypeError(action, name, "a stream or an iterable", source);
  return () => found.iterate() as AsyncIterator<T> | Iterator<T>;
}
