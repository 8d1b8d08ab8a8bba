import { callQuietly } from "../call_quietly.ts";
import { nameOfCall, type RunCall } from "../engine/run_failure.ts";
import { yieldTurn } from "../engine/turn_budget.ts";
import type { PendingRun } from "./pending_run.ts";
import { type LookableRun, type RunLook, waitsOfRun } from "./run_waits.ts";

/** What is kept of a run, by a reference that keeps neither it nor its chunks. */
interface Kept {
  run: Pick<WeakRef<LookableRun>, "deref">;
  readonly pipeline: string;
  readonly startedAtMs: number;
  /** How far it was when it was last looked at, and when that was. */
  progress: string;
  askedAtMs: number;
}

const all = new Set<Kept>();
/** So many are kept of runs that are gone. */
const mostGone = 100;
const leastToSweep = 1024;
let sweepAt = leastToSweep;

/** Forgets runs that are gone but the last of them, each time that the runs have doubled: a program may leave many. */
function sweep(): void {
  const gone = [...all].filter(({ run }) => run.deref() === undefined);
  for (const kept of gone.slice(0, -mostGone)) all.delete(kept);
  sweepAt = Math.max(leastToSweep, 2 * all.size);
}

/** Those that began in this turn of the event loop: most end in it, and a `WeakRef` of each costs more than they do. */
const young = new Set<Kept>();
let hasTurn = false;

/** Where nothing can be kept weakly, a run that hangs is kept. */
function keepWeakly(): void {
  hasTurn = false;
  if (typeof WeakRef === "function") {
    for (const kept of young) kept.run = new WeakRef(kept.run.deref()!);
  }
  young.clear();
}

function describe(kept: Kept, nowMs: number): PendingRun {
  const { pipeline, startedAtMs } = kept;
  const look = kept.run.deref()?.look();
  const progress = progressOf(kept);
  // The clock of the engine may be behind; it has moved since it was last looked at, or not.
  const sinceAskedMs = progress === kept.progress ? Infinity : nowMs - kept.askedAtMs;
  Object.assign(kept, { progress, askedAtMs: nowMs });
  return {
    pipeline,
    startedAt: new Date(performance.timeOrigin + startedAtMs),
    ageMs: nowMs - startedAtMs,
    chunksRead: look?.place.call.input?.chunksRead,
    chunksWritten: look?.output.chunksWritten,
    idleMs: Math.min(nowMs - (look?.movedAtMs ?? startedAtMs), sinceAskedMs),
    waitsFor: look === undefined ? [] : waitsOfRun(look),
    isGone: look === undefined,
    callSite: look?.place.call.readCallSite?.(),
  };
}

/** A call is several runs where a pair of streams stands among its stages: they wait for the later ones. */
function join(one: PendingRun, later: PendingRun): PendingRun {
  return {
    ...one,
    chunksWritten: later.chunksWritten,
    idleMs: Math.min(one.idleMs, later.idleMs),
    waitsFor: [...later.waitsFor, ...one.waitsFor],
  };
}

/** Keeps a run until it ends; answers what is to be called then. */
export function keepRun(run: LookableRun, call: RunCall): () => void {
  const { startedAtMs } = run.look();
  const kept: Kept = {
    run: { deref: () => run },
    pipeline: nameOfCall(call),
    startedAtMs,
    progress: "",
    askedAtMs: startedAtMs,
  };
  all.add(kept);
  if (all.size >= sweepAt) sweep();
  young.add(kept);
  if (!hasTurn) yieldTurn(keepWeakly);
  hasTurn = true;
  return () => {
    all.delete(kept);
    young.delete(kept);
  };
}

/** The runs that have not ended, by their calls. */
function runsOfCalls(): Map<RunCall | Kept, Kept[]> {
  const found = new Map<RunCall | Kept, Kept[]>();
  for (const kept of all) {
    const call = kept.run.deref()?.look().place.call ?? kept;
    const known = found.get(call);
    if (known === undefined) found.set(call, [kept]);
    else known.push(kept);
  }
  return found;
}

/** The runs that have not ended, the one that began first before the others. */
export function listRuns(): PendingRun[] {
  const nowMs = performance.now();
  return [...runsOfCalls().values()].map((parts) =>
    parts.map((part) => describe(part, nowMs)).reduce(join)
  );
}

/** Those of a call that has that name, the one that began last, from its source on. */
export function lookAtRuns(name: string): readonly RunLook[] {
  const found = [...all].filter(({ pipeline }) => pipeline === name)
    .map(({ run }) => run.deref()?.look())
    .filter((look) => look !== undefined);
  const call = found.at(-1)?.place.call;
  return found.filter(({ place }) => place.call === call);
}

/** How far a run is, to see whether it moves. */
function progressOf({ run }: Kept): string {
  const look = run.deref()?.look();
  if (look === undefined) return "gone";
  const { input, output, stages, phase } = look;
  return `${phase} ${input.chunksRead} ${output.chunksWritten} ${
    stages.map(({ chunkIndex, isBusy }) => `${chunkIndex}${isBusy}`)
  }`;
}

/** Lets a process end although a timer is set. */
function unref(timer: unknown): void {
  if (typeof timer !== "number") return (timer as { unref?(): void }).unref?.();
  (globalThis as { Deno?: { unrefTimer?(id: number): void } }).Deno?.unrefTimer?.(timer);
}

/** How often a run is looked at in the time after which it has stalled. */
const looksInTime = 4;

/** Calls back once for each time that a call has moved nothing for this long. */
export function watchRun(
  call: RunCall,
  stallAfterMs: number,
  onStall: (run: PendingRun) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let last: string | undefined;
  let movedAtMs = 0;
  let hasStalled = false;
  const look = (): void => {
    const parts = runsOfCalls().get(call);
    if (parts === undefined) return;
    const nowMs = performance.now();
    const progress = parts.map(progressOf).join();
    if (progress !== last) {
      last = progress;
      movedAtMs = nowMs;
      hasStalled = false;
    } else if (!hasStalled && nowMs - movedAtMs >= stallAfterMs) {
      hasStalled = true;
      callQuietly(onStall, parts.map((part) => describe(part, nowMs)).reduce(join));
    }
    timer = setTimeout(look, Math.max(1, stallAfterMs / looksInTime));
    unref(timer);
  };
  look();
  return () => clearTimeout(timer);
}
