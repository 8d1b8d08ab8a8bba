import { bodyOf, hasBody } from "./body_of.ts";
import { isStream, streamIterator } from "./stream_iterator.ts";

/** How an iterable is opened, and whether its iterator answers with promises. */
export type IterableOpener<T> =
  | { readonly isAsync: true; open(): AsyncIterator<T> }
  | { readonly isAsync: false; open(): Iterator<T> };

/**
 * Finds how `value` is iterated, asynchronously where it can be, as in `for await`; `undefined` if it is not iterable.
 * A stream is one also where streams have no iterator of their own, as in Safari; so is what has a body.
 */
export function iterableOpener<T>(value: unknown): IterableOpener<T> | undefined {
  if (value === null || value === undefined) return undefined;
  const { [Symbol.asyncIterator]: openAsync } = value as AsyncIterable<T>;
  if (typeof openAsync === "function") {
    return { isAsync: true, open: () => openAsync.call(value as AsyncIterable<T>) };
  }
  if (isStream(value)) {
    return {
      isAsync: true,
      open: () => streamIterator(value as ReadableStream<T>),
    };
  }
  const { [Symbol.iterator]: open } = value as Iterable<T>;
  if (typeof open === "function") {
    return {
      isAsync: false,
      open: () => open.call(value as Iterable<T>),
    };
  }
  return hasBody(value) ? { isAsync: true, open: () => openBody(value) } : undefined;
}

function openBody<T>(value: unknown): AsyncIterator<T> {
  const body = bodyOf(value);
  if (isStream(body)) return streamIterator(body as ReadableStream<T>);
  // A `Response` may have none.
  return { next: () => Promise.resolve({ done: true, value: undefined }) };
}
