import type { Recorder } from "./_recorder.ts";

/** Resolves after a turn of the event loop. */
function turn(delayMs: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (delayMs === undefined) setImmediate(resolve);
    else setTimeout(resolve, delayMs);
  });
}

/**
 * Waits for `promise`, until nothing has happened for many turns of the event loop: everything in a random chain waits
 * for microtasks or for a millisecond at most, so that is a chain that hangs. Tells whether it ended.
 */
export async function settles(promise: Promise<unknown>, recorder: Recorder): Promise<boolean> {
  let hasSettled = false;
  promise.then(() => hasSettled = true, () => hasSettled = true);
  let quietTurns = 0;
  let progress = -1;
  while (!hasSettled && quietTurns < 60) {
    await turn(quietTurns < 3 ? undefined : 2);
    quietTurns = progress === recorder.progress ? quietTurns + 1 : 0;
    progress = recorder.progress;
  }
  return hasSettled;
}

/** Lets go on what goes on after the consumer has seen the end: cancel handlers and the like. */
export async function calmDown(recorder: Recorder): Promise<void> {
  let progress = -1;
  while (progress !== recorder.progress) {
    progress = recorder.progress;
    await turn(undefined);
    await turn(undefined);
  }
}
