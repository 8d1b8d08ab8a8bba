/** Tells whether `value` is a `ReadableStream`, of whatever realm or library. */
export function isStream(value: unknown): value is ReadableStream<unknown> {
  return value !== null && typeof value === "object" &&
    typeof (value as { getReader?: unknown }).getReader === "function";
}

/** The chunks of a stream one by one, as its own iteration gives them where there is one; Safari has none. */
export function streamIterator<T>(stream: ReadableStream<T>): AsyncIterator<T, undefined> {
  const defaultReader = stream.getReader();
  return {
    async next(): Promise<IteratorResult<T, undefined>> {
      try {
        const result = await defaultReader.read();
        if (!result.done) return result;
      } catch (error) {
        defaultReader.releaseLock();
        throw error;
      }
      defaultReader.releaseLock();
      return { done: true, value: undefined };
    },
    async return(reason?: unknown): Promise<IteratorResult<T, undefined>> {
      const cancelled = defaultReader.cancel(reason);
      defaultReader.releaseLock();
      await cancelled;
      return { done: true, value: undefined };
    },
  };
}
