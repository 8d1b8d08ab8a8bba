import { throwTypeError } from "../errors.ts";
import { printPendingRuns } from "./print_pending_runs.ts";

interface SignalSource {
  on(signal: string, listener: () => void): unknown;
  off(signal: string, listener: () => void): unknown;
}

/**
 * Prints the runs that have not ended whenever the process gets a signal, such as by `kill -USR2`. In Node, Bun and
 * Deno.
 *
 * @param signal Its name. Default: `"SIGUSR2"`; Node itself takes `"SIGUSR1"`.
 * @param write Gets each line. Default: `console.error`.
 * @returns A function that ends it.
 * @throws {TypeError} If `signal` is not a text or there are no signals, as in a browser.
 *
 * @example In the beginning of a server
 * ```ts
 * import { reportOnSignal } from "@hosepipe/streams/inspect";
 * import assert from "node:assert/strict";
 * import process from "node:process";
 *
 * const stop = reportOnSignal("SIGUSR2");
 * assert.deepEqual(process.listenerCount("SIGUSR2"), 1);
 * // Later, if ever.
 * stop();
 * ```
 */
export function reportOnSignal(
  signal: string = "SIGUSR2",
  write?: (line: string) => void,
): () => void {
  const action = "report on signal";
  if (typeof signal !== "string") throwTypeError(action, "signal", "the name of a signal", signal);
  const { process } = globalThis as { process?: SignalSource };
  if (typeof process?.on !== "function") {
    throw new TypeError(`Cannot ${action}: there are no signals here`);
  }
  const listener = () => void printPendingRuns(write);
  process.on(signal, listener);
  return () => void process.off(signal, listener);
}
