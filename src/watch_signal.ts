interface Watch {
  readonly watchers: Set<() => void>;
  readonly tell: () => void;
}

/** One listener for all that watch a signal: to forget one takes a signal time in proportion to how many it has. */
const watchOf = new WeakMap<AbortSignal, Watch>();

function watch(signal: AbortSignal): Watch {
  const watchers = new Set<() => void>();
  const tell = (): void => {
    // One that is stopped, or comes, meanwhile is not called.
    for (const watcher of [...watchers]) if (watchers.has(watcher)) watcher();
  };
  const made = { watchers, tell };
  watchOf.set(signal, made);
  signal.addEventListener("abort", tell);
  return made;
}

/** Calls `aborted`, which throws nothing, once the signal aborts; gives the function that stops watching. */
export function watchSignal(signal: AbortSignal, aborted: () => void): () => void {
  const { watchers, tell } = watchOf.get(signal) ?? watch(signal);
  watchers.add(aborted);
  return () => {
    if (!watchers.delete(aborted) || watchers.size > 0) return;
    watchOf.delete(signal);
    signal.removeEventListener("abort", tell);
  };
}
