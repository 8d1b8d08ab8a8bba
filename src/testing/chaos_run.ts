import { describeRuns } from "../inspect/print_pending_runs.ts";
import { openChaosIterable, openChaosSink, openChaosStream } from "./chaos_ends.ts";
import type { ChaosEnd, ChaosWatch } from "./chaos_ends.ts";
import { ChaosSchedule } from "./chaos_schedule.ts";
import type { ChaosContext, ChaosFault } from "./chaos_types.ts";
import { type HeldOutcome, runHeld } from "./held_run.ts";
import { lateProblem, leakProblem, unhandledProblem } from "./law_problems.ts";
import { printChunk } from "./print_chunk.ts";

/** What is run under a schedule. */
export interface ChaosSubject {
  readonly run: (context: ChaosContext) => unknown;
  readonly faults: readonly ChaosFault[];
  readonly io: boolean;
}

/** What came of one schedule. */
export interface ChaosOutcome {
  readonly problem: string | undefined;
  readonly error: unknown;
  readonly steps: readonly string[];
  /** How many of the schedule's numbers were used. */
  readonly used: number;
}

/** Whether the run may have failed with that: what was injected, or what was made of it. */
function isInjected(reason: unknown, schedule: ChaosSchedule): boolean {
  if (schedule.reasons.some((one) => Object.is(one.reason, reason))) return true;
  if (!(reason instanceof Error)) return false;
  if (Object.hasOwn(reason, "cause") && isInjected(reason.cause, schedule)) return true;
  return reason instanceof AggregateError &&
    reason.errors.some((error) => isInjected(error, schedule));
}

function endingProblem({ name, isUsed, endings }: ChaosEnd): string | undefined {
  if (endings.length > 1) return `the ${name} was ended twice: ${endings.join(", then ")}`;
  if (!isUsed || endings.length === 1) return undefined;
  return name.startsWith("source")
    ? `the ${name} was neither read to its end nor cancelled`
    : `the ${name} was neither closed nor aborted`;
}

/** What is noted as a run is over. */
interface ChaosNotes {
  readonly pending: string;
  /** Delays of ours that were under way: timers that the pipeline did not set. */
  readonly delays: number;
}

function problemOf(
  seen: HeldOutcome & ChaosNotes,
  schedule: ChaosSchedule,
  ends: readonly ChaosEnd[],
): string | undefined {
  const { state, reason } = seen;
  if (state === "pending") return `it has not settled; ${seen.pending}`;
  if (state === "rejected" && !isInjected(reason, schedule)) {
    return `it failed with ${printChunk(reason)}`;
  }
  const swallowed = state === "rejected"
    ? undefined
    : schedule.reasons.find(({ by }) => by === "sink" || by === "source");
  if (swallowed !== undefined) {
    return `the ${swallowed.by} failed with ${printChunk(swallowed.reason)}, and it was fulfilled`;
  }
  for (const end of ends) {
    const problem = endingProblem(end);
    if (problem !== undefined) return problem;
  }
  const timers = seen.timers - seen.delays;
  return unhandledProblem(seen) ?? leakProblem({ ...seen, timers }) ?? lateProblem(seen);
}

/** Runs the subject once under a schedule, on virtual time, and judges it. */
export async function runChaos(
  { run, faults, io }: ChaosSubject,
  moves: readonly number[],
): Promise<ChaosOutcome> {
  const controller = new AbortController();
  const schedule = new ChaosSchedule(moves, controller, faults);
  const watch: ChaosWatch = { ends: [], late: [], isOver: false };
  let calls = 0;
  const context: ChaosContext = {
    signal: controller.signal,
    source: (chunks) => openChaosStream(chunks, schedule, watch),
    iterable: (chunks) => openChaosIterable(chunks, schedule, watch),
    sink: (write) => openChaosSink(write, schedule, watch),
    wrap:
      <A extends readonly unknown[], R>(fn: (...args: A) => R) =>
      async (...args: A): Promise<Awaited<R>> => {
        const what = `call ${++calls}${fn.name === "" ? "" : ` of ${fn.name}`}`;
        await schedule.moment(what, "call");
        const result = await fn(...args);
        await schedule.moment(`the answer of ${what}`, "call");
        return result;
      },
    pause: () => schedule.moment("a pause", undefined),
  };
  const outcome = await runHeld({
    io,
    controller,
    program: {},
    watch,
    // deno-lint-ignore require-await -- what it throws at once is a rejection, too
    start: async () => ({ work: Promise.resolve(run(context)) }),
    locks: () => [],
  }, () => ({
    pending: describeRuns().map((line) => line.trim()).join("; "),
    delays: schedule.pendingDelays,
  }));
  const problem = problemOf(outcome, schedule, watch.ends);
  return {
    problem,
    error: outcome.state === "rejected" ? outcome.reason : undefined,
    steps: schedule.steps,
    used: schedule.used,
  };
}
