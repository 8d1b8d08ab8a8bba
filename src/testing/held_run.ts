import { nextTurn, noteActivity } from "./activity.ts";
import { collectRejections } from "./collect_rejections.ts";
import { printChunk } from "./print_chunk.ts";
import { virtualTime } from "./virtual_time.ts";

/** Starts another run, whose source stands still after these chunks. */
export function startOther(
  chunks: readonly unknown[],
  run: (source: ReadableStream<unknown>, signal: AbortSignal) => Promise<unknown>,
): { stop(): Promise<void> } {
  const controller = new AbortController();
  const left = [...chunks];
  const source = new ReadableStream<unknown>({
    pull(controller) {
      if (left.length === 0) return new Promise(() => {});
      controller.enqueue(left.shift());
    },
  }, { highWaterMark: 0 });
  const work = run(source, controller.signal).catch(() => {});
  return {
    async stop() {
      controller.abort(new Error("the other run is over"));
      await Promise.race([work, nextTurn()]);
    },
  };
}

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

/** One run of what is under test, as small as it can be to show what a law is about. */
export interface HeldProgram<Way, Stop, Slow> {
  /** How it stands between source and sink. */
  readonly way: Way;
  /** How many chunks the source gives, and what it does then. */
  readonly give: number;
  readonly then: "end" | "stall" | "fail";
  /** What is done when nothing moves any more, or after `at` chunks. */
  readonly stop?: Stop;
  readonly at?: number;
  /** What the source fails with, or what the stop gives. */
  readonly reason?: unknown;
  readonly slow?: Slow;
  /** Whether what is under test is one that fails with `reason` by itself. */
  readonly isFailing?: boolean;
  /** Whether all is read or written at once. */
  readonly isEager?: boolean;
  /** A run before this one: of the same to its end, or of another that stands still meanwhile. */
  readonly before?: "same" | "other";
}

/** A program in words, as a report has it; `giver` is what gives chunks, if that is seen. */
export function describeHeld(
  program: HeldProgram<string, string, string>,
  kind: string,
  giver: string | undefined,
): string {
  const { way, give, then, stop, at = 0, slow, before, isFailing, isEager } = program;
  const why = "reason" in program ? ` with ${printChunk(program.reason)}` : "";
  const chunks = give === 1 ? "1 chunk" : `${give} chunks`;
  return [
    way,
    before === "same" && `the same ${kind} again`,
    before === "other" && "while another run stands still",
    isFailing && `the ${kind} fails${why}`,
    giver && `the ${giver} gives ${chunks}, then ${then}s${then === "fail" ? why : ""}`,
    slow && `the ${slow} is slow`,
    isEager && "all at once",
    stop && (stop === "no demand" ? stop : `${stop} after ${at}${why}`),
  ].filter(Boolean).join(", ");
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
  readonly program: Pick<HeldProgram<string, string, string>, "stop" | "reason">;
  /** Learns that it is over: what is called from then on is late. */
  readonly watch: HeldWatch;
  /** Starts another run, which stands still meanwhile. */
  readonly startOther?: (() => { stop(): Promise<void> }) | undefined;
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
    let other: { stop(): Promise<void> } | undefined;
    const begin = async () => {
      other = plan.startOther?.();
      if (other !== undefined) await rest();
      return await plan.start(rest);
    };
    const { work } = await begin().catch((error) => ({ work: Promise.reject(error) }));
    const outcome = work.then(() => void (state = "fulfilled"), (error: unknown) => {
      state = "rejected";
      reason = error;
    });
    if (isStill || isAborted) await rest();
    if (isAborted) controller.abort(given);
    if (!isStill) {
      await time.run(outcome, { io, limitMs: 1_000, maxTimers: 2_000 }).catch(() => {});
      await other?.stop();
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
