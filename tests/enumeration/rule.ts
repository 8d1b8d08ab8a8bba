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

/** Whether a stage has run ahead of where it is natively: more or fewer chunks, and so its flush or its cancel. */
export function isAheadAt(
  stage: number,
  { schedule, expected, actual }: Case,
  hasOneReason = true,
): boolean {
  const seen = (log: readonly string[]) =>
    log.filter((event) => event.startsWith(`stage ${stage}: `));
  const chunksOf = (log: readonly string[]) =>
    seen(log).filter((event) => event.includes(": transform "));
  const endOf = (log: readonly string[]) =>
    seen(log).filter((event) => /: (?:flush|cancel)/.test(event)).join();
  const [theirs, ours] = [chunksOf(expected), chunksOf(actual)];
  const shorter = Math.min(theirs.length, ours.length);
  if (`${theirs.slice(0, shorter)}` !== `${ours.slice(0, shorter)}`) return false;
  const [theirEnd, ourEnd] = [endOf(expected), endOf(actual)];
  // A stage learns of no end only if it ended the chain itself.
  const mayEnd = schedule.deviations.some(({ at, does }) =>
    !does.startsWith("fulfils") && new RegExp(`^(?:start|transform|flush) ${stage}\\b`).test(at)
  );
  if (ourEnd === "" && theirEnd !== "" && !mayEnd) return false;
  return !hasOneReason || theirEnd === ourEnd || theirEnd === "" || ourEnd === "" ||
    theirEnd.endsWith("flush") || ourEnd.endsWith("flush");
}
