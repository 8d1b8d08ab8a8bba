import { nextTurn, noteActivity } from "./activity.ts";
import { collectRejections } from "./collect_rejections.ts";
import { printChunk } from "./print_chunk.ts";
import { virtualTime } from "./virtual_time.ts";

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

/** Counts the listeners that a signal has from now on. */
function countListeners(signal: AbortSignal): () => number {
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal) as (...values: unknown[]) => void;
  const remove = signal.removeEventListener.bind(signal) as typeof add;
  signal.addEventListener = (...values: unknown[]) => {
    listeners.add(values[1]);
    add(...values);
  };
  signal.removeEventListener = (...values: unknown[]) => {
    listeners.delete(values[1]);
    remove(...values);
  };
  return () => signal.aborted ? 0 : listeners.size;
}

/** Lets so many turns of the event loop pass. */
export async function waitTurns(turns: number): Promise<void> {
  while (turns-- > 0) await nextTurn();
}

/** Watches what is called during a run, and long after its end. */
export interface HeldWatch {
  isOver: boolean;
  readonly late: string[];
}

/** Notes a call of what is under test. */
export function noteCall(watch: HeldWatch, call: string): void {
  noteActivity();
  if (watch.isOver) watch.late.push(call);
}

/** What a run of something under test is made of. */
interface HeldPlan {
  /** Whether it takes real time. */
  readonly io: boolean;
  readonly controller: AbortController;
  /** What is done when nothing moves, and with which reason. */
  readonly program: { readonly stop?: string; readonly reason?: unknown };
  /** Learns that it is over: what is called from then on is late. */
  readonly watch: HeldWatch;
  /** Starts the run; `rest` waits until nothing moves. */
  readonly start: (rest: () => Promise<void>) => Promise<{ readonly work: Promise<unknown> }>;
  /** The ends that are locked. */
  readonly locks: () => string[];
  /** Lets go what hangs. */
  readonly free?: (() => void) | undefined;
}

/** What the realm has seen of a run. */
export interface HeldOutcome {
  readonly state: "pending" | "fulfilled" | "rejected";
  /** What it was rejected with. */
  readonly reason: unknown;
  /** What it should have been rejected with, and both ends should have heard. */
  readonly stopReason: unknown;
  readonly timers: number;
  readonly listeners: number;
  readonly locks: readonly string[];
  readonly unhandled: readonly unknown[];
  /** What was called long after the end. */
  readonly late: readonly string[];
}

const lateMs = 10_000;
const restMs = 1_000;
const { setTimeout: setRealTimeout } = globalThis;
/** What has a run looked at while it stands still. */
const stills: readonly unknown[] = ["write hangs", "no demand", "stop reading"];

/** Runs something on virtual time, and long after its end; `look` notes what is to be seen before that. */
export async function runHeld<T extends object>(
  plan: HeldPlan,
  look: () => T,
): Promise<HeldOutcome & T> {
  const { io, controller, program: { stop, reason: given }, watch } = plan;
  const isStill = stills.includes(stop);
  const isAborted = stop === "abort";
  const listeners = countListeners(controller.signal);
  let state: HeldOutcome["state"] = "pending";
  let reason: unknown;
  const time = virtualTime();
  const rejections = collectRejections();
  const rest = async () => {
    if (io) await new Promise((resolve) => setRealTimeout(resolve, 25));
    await time.advance(restMs);
  };
  try {
    const { work } = await plan.start(rest).catch((error) => ({ work: Promise.reject(error) }));
    const outcome = work.then(() => void (state = "fulfilled"), (error: unknown) => {
      state = "rejected";
      reason = error;
    });
    if (isStill || isAborted) await rest();
    if (isAborted) controller.abort(given);
    if (!isStill) {
      await time.run(outcome, { io, limitMs: 1_000, maxTimers: 2_000 }).catch(() => {});
      await time.advance(0);
      if (io) await rest();
    }
    const seen = {
      ...look(),
      state,
      reason,
      stopReason: isAborted ? controller.signal.reason : given,
      timers: time.timers,
      listeners: listeners(),
      locks: plan.locks(),
      late: watch.late,
    };
    if (state === "pending") {
      controller.abort(new Error("the program is over"));
      await time.advance(0);
    } else {
      watch.isOver = true;
      await time.advance(lateMs);
    }
    plan.free?.();
    await time.advance(0);
    return { ...seen, unhandled: rejections.take() };
  } finally {
    time.restore();
    rejections.close();
  }
}
