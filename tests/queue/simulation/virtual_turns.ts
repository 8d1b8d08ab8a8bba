import process from "node:process";

type Callback = () => void;
type Schedule = (callback: Callback) => unknown;

const own = globalThis as { setImmediate: Schedule };
const setOwnImmediate = own.setImmediate;
let waiting: Callback[] | undefined;

// The library keeps `setImmediate` for itself when it is loaded: this module must come before it.
own.setImmediate = (callback) => {
  if (waiting === undefined) return setOwnImmediate(callback);
  waiting.push(callback);
};

/** From now on a turn of the event loop is only a place in a list: a real one costs a call of the system. */
export function installTurns(): void {
  waiting = [];
}

/** Turns are the event loop's again. */
export function uninstallTurns(): void {
  const left = waiting ?? [];
  waiting = undefined;
  for (const callback of left) setOwnImmediate(callback);
}

/** Fulfils once there is no microtask left, also of those that others have queued. */
async function drained(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
}

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  await drained();
  while (waiting !== undefined && waiting.length > 0) {
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) {
      callback();
      await drained();
    }
  }
}
