import { setTimeout } from "node:timers";

/** Waits for the next look; injected in tests. */
type Wait = (ms: number) => Promise<void>;

/** Waits without keeping the process. */
const waitUnreferenced: Wait = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/**
 * Looks every so many milliseconds whether a process is gone, and calls `onGone` once two looks in a row have said
 * so. What could not be looked at, as when no file descriptor is left, says nothing.
 *
 * @param isGone Whether it is gone; `undefined`, or a failure, if that cannot be known.
 */
export async function watchUntilGone(
  isGone: () => boolean | undefined | Promise<boolean | undefined>,
  everyMs: number,
  onGone: () => void,
  wait: Wait = waitUnreferenced,
): Promise<void> {
  for (let seen = 0; seen < 2;) {
    await wait(everyMs);
    let answer: boolean | undefined;
    try {
      answer = await isGone();
    } catch {
      continue;
    }
    if (answer === true) seen++;
    else if (answer === false) seen = 0;
  }
  onGone();
}
