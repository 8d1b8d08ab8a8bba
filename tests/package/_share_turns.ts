/**
 * Lets all timers of at most a millisecond share one, in a runtime where each takes a turn of its own thread, and so
 * a hundred that are set at a time take a hundred times as long. Its text is run: it may use nothing around it. Answers a function that forgets what waits, since timers
 * end with the request that set them.
 */
export function shareTurns(): () => void {
  const { setTimeout: setTimer, clearTimeout: clearTimer } = globalThis;
  const longest = 1;
  const waiting = new Map();
  let count = 0;
  const fire = () => {
    const due = [...waiting.values()];
    waiting.clear();
    for (const call of due) queueMicrotask(call);
  };
  Object.assign(globalThis, {
    setTimeout(call: () => void, ms = 0, ...args: []) {
      if (ms > longest) return setTimer(call, ms, ...args);
      if (waiting.size === 0) setTimer(fire, longest);
      const id = `shared ${count++}`;
      waiting.set(id, () => call(...args));
      return id;
    },
    clearTimeout(id: number) {
      // The shared timer may find nothing left.
      if (!waiting.delete(id)) clearTimer(id);
    },
  });
  return () => waiting.clear();
}
