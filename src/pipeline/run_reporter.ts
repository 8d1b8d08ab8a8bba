import type { RunCall } from "../engine/run_failure.ts";

/** Tells others how runs begin and end: there once a room that does is imported. */
export interface RunReporter {
  /** Whether anything wants to know. */
  readonly isHeard: boolean;
  /** Runs, and settles as that does. */
  report<T>(call: RunCall, run: () => Promise<T>): Promise<T>;
}

export const runs: { reporter: RunReporter | undefined } = { reporter: undefined };
