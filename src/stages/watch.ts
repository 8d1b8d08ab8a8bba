interface Watcher {
  readonly fulfilled: () => void;
  readonly rejected: (reason: unknown) => void;
}

/** Those that watch a promise: it is asked once, since it cannot forget who asked. */
const watchersOf = new WeakMap<object, Set<Watcher>>();

/** Calls one of the two once the promise has settled; gives the function that stops watching. */
export function watchPromise(
  promise: PromiseLike<unknown>,
  fulfilled: () => void,
  rejected: (reason: unknown) => void,
): () => void {
  const watchers = watchersOf.get(promise) ?? watch(promise);
  const watcher = { fulfilled, rejected };
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

function watch(promise: PromiseLike<unknown>): Set<Watcher> {
  const watchers = new Set<Watcher>();
  watchersOf.set(promise, watchers);
  const settle = (tell: (watcher: Watcher) => void): void => {
    // A later one asks the promise again.
    watchersOf.delete(promise);
    for (const watcher of [...watchers]) tell(watcher);
  };
  promise.then(
    () => settle(({ fulfilled }) => fulfilled()),
    (reason) => settle(({ rejected }) => rejected(reason)),
  );
  return watchers;
}
