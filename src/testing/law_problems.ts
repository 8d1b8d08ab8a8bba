import type { HeldOutcome } from "./held_run.ts";
import { printChunk } from "./print_chunk.ts";

/** Tells unless an end has heard the reason itself, and once. */
export function heardProblem(
  end: string,
  heard: readonly unknown[],
  reason: unknown,
): string | undefined {
  if (heard.length === 1 && Object.is(heard[0], reason)) return;
  if (heard.length === 0) return `${end} did not learn of it`;
  return `${end} heard ${heard.map(printChunk).join(", ")}, not once ${printChunk(reason)}`;
}

/** Tells unless a run has failed with the reason itself. */
export function rejectionProblem(
  { state, reason, stopReason }: HeldOutcome,
): string | undefined {
  if (state === "pending") return "the run has not ended";
  if (state === "fulfilled") return `the run did not fail with ${printChunk(stopReason)}`;
  if (Object.is(reason, stopReason)) return;
  return `the run failed with ${printChunk(reason)}, not with ${printChunk(stopReason)} itself`;
}

/** Tells what a run has left behind; one that has not ended is not asked. */
export function leakProblem({ state, timers, listeners, locks }: HeldOutcome): string | undefined {
  if (state === "pending") return;
  if (timers > 0) return `${timers} timers were left`;
  if (listeners > 0) return `${listeners} listeners of the signal were left`;
  return locks.length > 0 ? `the ${locks.join(" and the ")} stayed locked` : undefined;
}

/** Tells what was handled nowhere. */
export const unhandledProblem = ({ unhandled }: HeldOutcome): string | undefined =>
  unhandled.length > 0 ? `${printChunk(unhandled[0])} was handled nowhere` : undefined;

/** Tells what was done long after the end. */
export const lateProblem = ({ late }: HeldOutcome): string | undefined =>
  late.length > 0 ? `after the end it went on: ${late.slice(0, 3).join(", ")}` : undefined;

/** The laws of what every run leaves behind, however it ends. */
export const lastLaws = <Programs>(programs: Programs) => ({
  leaks: { programs, problem: leakProblem },
  unhandled: { programs, problem: unhandledProblem },
  idleAfterEnd: { programs, problem: lateProblem },
});
