/** How an iterable is opened, and whether its iterator answers with promises. */
export type IterableOpener<T> =
  | { readonly isAsync: true; open(): AsyncIterator<T> }
  | { readonly isAsync: false; open(): Iterator<T> };

/** Finds how `value` is iterated, asynchronously where it can be, as in `for await`; `undefined` if it is no iterable. */
export function iterableOpener<T>(value: unknown): IterableOpener<T> | undefined {
  if (value === null || value === undefined) return undefined;
  const { [Symbol.asyncIterator]: openAsync } = value as AsyncIterable<T>;
  if (typeof openAsync === "function") {
    return { isAsync: true, open: () => openAsync.call(value as AsyncIterable<T>) };
  }
  const { [Symbol.iterator]: open } = value as Iterable<T>;
  if (typeof open !== "function") return undefined;
  return { isAsync: false, open: () => open.call(value as Iterable<T>) };
}
