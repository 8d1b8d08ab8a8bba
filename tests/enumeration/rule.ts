import type { Schedule } from "./schedule.ts";

/** A run of ours that is not like the one that it is compared with. */
export interface Case {
  readonly schedule: Schedule;
  readonly expected: readonly string[];
  readonly actual: readonly string[];
  /** Whether the standard says nothing: the reference failed an assertion, and `expected` is what the runtime does. */
  readonly hasTripped: boolean;
  /** The same schedule with the runtime's streams. */
  readonly native: readonly string[];
}

/** A deliberate difference, and which runs fall under it. */
export interface Rule {
  readonly name: string;
  readonly reason: string;
  excuses(given: Case): boolean;
}
