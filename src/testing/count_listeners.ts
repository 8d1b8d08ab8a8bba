/** Counts the listeners that a signal has from now on. */
export function countListeners(signal: AbortSignal): () => number {
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal) as (...values: unknown[]) => void;
  const remove = signal.removeEventListener.bind(signal) as typeof add;
  signal.addEventListener = (...values: unknown[]) => {
    listeners.add(values[1]);
    add(...values);
  };
  signal.removeEventListener = (...values: unknown[]) => {
    listeners.delete(values[1]);
    remove(...values);
  };
  return () => signal.aborted ? 0 : listeners.size;
}
