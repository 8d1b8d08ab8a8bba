import { collectRejections } from "./collect_rejections.ts";
import { countListeners } from "./count_listeners.ts";
import { virtualTime } from "./virtual_time.ts";

/** What a run of something under test is made of. */
export interface HeldPlan {
  /** Whether it takes real time. */
  readonly io: boolean;
  readonly controller: AbortController;
  /** Starts another run, which stands still meanwhile. */
  readonly startOther?: (() => { stop(): Promise<void> }) | undefined;
  /** Starts the run; `rest` waits until nothing moves. */
  readonly start: (rest: () => Promise<void>) => Promise<{ readonly work: Promise<unknown> }>;
  /** What is done when nothing moves. */
  readonly atRest?: (() => void) | undefined;
  /** Whether it is looked at while it stands still. */
  readonly isStill: boolean;
  /** The ends that are locked. */
  readonly locks: () => string[];
  /** Called as it is over: what happens from now on is late. */
  readonly over: () => void;
  /** Lets go what hangs. */
  readonly free: () => void;
}

/** What the realm has seen of a run. */
export interface HeldOutcome {
  readonly state: "pending" | "fulfilled" | "rejected";
  /** What it was rejected with. */
  readonly reason: unknown;
  readonly timers: number;
  readonly listeners: number;
  readonly locks: readonly string[];
  readonly unhandled: readonly unknown[];
}

const lateMs = 10_000;
const restMs = 1_000;
const { setTimeout: setRealTimeout } = globalThis;

/** Runs something on virtual time, and long after its end; `look` notes what is to be seen before that. */
export async function runHeld<T extends object>(
  plan: HeldPlan,
  look: () => T,
): Promise<HeldOutcome & T> {
  const { io, controller, isStill } = plan;
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
    if (isStill || plan.atRest !== undefined) await rest();
    plan.atRest?.();
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
      timers: time.timers,
      listeners: listeners(),
      locks: plan.locks(),
    };
    if (state === "pending") {
      controller.abort(new Error("the program is over"));
      await time.advance(0);
    } else {
      plan.over();
      await time.advance(lateMs);
    }
    plan.free();
    await time.advance(0);
    return { ...seen, unhandled: rejections.take() };
  } finally {
    time.restore();
    rejections.close();
  }
}
