/** A signal that tells how many listeners it has. */
export function countedSignal(): {
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly listeners: () => number;
} {
  const controller = new AbortController();
  const { signal } = controller;
  const { addEventListener, removeEventListener } = signal;
  let listeners = 0;
  Object.assign(signal, {
    addEventListener(...args: unknown[]) {
      if (args[0] === "abort") listeners++;
      addEventListener.apply(signal, args as never);
    },
    removeEventListener(...args: unknown[]) {
      if (args[0] === "abort") listeners--;
      removeEventListener.apply(signal, args as never);
    },
  });
  return {
    controller,
    signal,
    abort: (reason) => controller.abort(reason),
    listeners: () => listeners,
  };
}
