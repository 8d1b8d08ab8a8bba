/** Calls a listener. As with event listeners, its error does not reach the caller, and is thrown where it is seen. */
export function callListener<T>(listener: (value: T) => void, value: T): void {
  try {
    listener(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
