import { FirstFailure } from "../engine/first_failure.ts";
import { divideAtPairs, type Row } from "../engine/divide_at_pairs.ts";
import { planStages, type StagePlan } from "../engine/plan_stages.ts";
import { callSites, keepCallSite } from "../engine/call_site.ts";
import { callQuietly } from "../call_quietly.ts";
import type { RunCall, RunFailure } from "../engine/run_failure.ts";
import { yieldTurn } from "../engine/turn_budget.ts";
import { readRunOptions, type RunOptions } from "./pipeline_options.ts";
import type { PipelineResult } from "./pipeline_types.ts";
import { canRunQuickly, QuickRun, type Write } from "./quick_run.ts";
import { Run } from "./run.ts";
import { watchRun } from "./keep_runs.ts";
import { runs } from "./run_reporter.ts";
import { checkPipelineSink, isSink, openSink, type PushSink } from "./sink.ts";
import { findSource, type FoundSource } from "../source/find_source.ts";
import { openStream, type PullSource } from "../source/open_source.ts";
import { describeValue } from "../errors.ts";
import type { Pair } from "../pair.ts";
import { withJoinedWrites } from "./joined_writes.ts";

/** Opens the writable side of a pair that `checkPair` let pass. */
function openPair(pair: Pair): PushSink {
  const sink = withJoinedWrites(pair, openSink(pair.writable));
  return {
    ...sink,
    // What reads from the pair says how it ended; an abort that is never answered, as Deno's may be, holds nothing up.
    abort: (reason) =>
      Promise.race([
        sink.abort(reason)!,
        new Promise<undefined>((resolve) => yieldTurn(() => resolve(undefined))),
      ]),
  };
}

/** Finds how the source of a pipeline is opened, and touches nothing; throws unless it can be. */
function checkPipelineSource(action: string, source: unknown): FoundSource {
  const found = findSource(action, source, "source");
  if (found !== undefined) return found;
  throw new TypeError(
    `Cannot ${action}: source must be a ReadableStream, an iterable or an async iterable, ` +
      `got ${adviceFor(source)}`,
  );
}

function adviceFor(source: unknown): string {
  if (typeof source === "function") {
    return "a function; call it if it is a generator, or use reader(fn)";
  }
  if (source !== null && typeof source === "object") {
    if (typeof (source as { then?: unknown }).then === "function") return "a promise; await it";
    if (source instanceof URL) return "a URL; pass await fetch(url)";
  }
  return describeValue(source);
}

/** What runs a pipeline. */
interface Entrance {
  /** What it says that it cannot do. Default: "run pipeline". */
  readonly action?: string;
  /** How many of the stages are the user's, of an end: the others are what that is made of. */
  readonly stageCount?: number;
  /** The function that was called, if it is on the stack. */
  readonly entry?: unknown;
}

/** Reads the arguments of `pipeline`, checks all of them before anything is touched, and runs. */
export async function runPipeline(
  source: unknown,
  rest: readonly unknown[],
  { action = "run pipeline", stageCount, entry }: Entrance = {},
): Promise<PipelineResult> {
  const hasOptions = rest.length > 1 && !isSink(rest.at(-1)) && isSink(rest.at(-2));
  const options = readRunOptions(action, hasOptions ? rest.at(-1) : undefined);
  const sink = rest.at(hasOptions ? -2 : -1);
  const stages = rest.slice(0, hasOptions ? -2 : -1);
  const found = checkPipelineSource(action, source);
  const plans = planStages(action, stages, true);
  checkPipelineSink(action, sink);
  const keepsSite = callSites.areKept || options.callSite;
  const readCallSite = keepsSite ? keepCallSite(entry) : undefined;
  const { runName: name } = options;
  const call: RunCall = { action, name, source, stages, sink, stageCount, readCallSite };
  const { reporter } = runs;
  if (reporter?.isHeard) {
    return await reporter.report(call, () => runCall(call, found, plans, options));
  }
  if (
    typeof sink !== "function" || options.signal?.aborted || found.isAsync || !canRunQuickly(plans)
  ) {
    return await runCall(call, found, plans, options);
  }
  const quick = new QuickRun(found.iterate(), plans, sink as Write, options.signal);
  return quick.execute() ?? await runCall(call, found, plans, options, quick);
}

/** Runs what was checked, by an engine, from the start or from where a quick run has left it. */
function runCall(
  call: RunCall,
  source: FoundSource,
  plans: readonly StagePlan[],
  options: RunOptions,
  quick?: QuickRun,
): Promise<PipelineResult> {
  const first = new FirstFailure();
  const { onFailure, onStall, stallAfterMs } = options;
  let run = quick === undefined
    ? runRows(call, () => source.open(), divideAtPairs(plans), options, first)
    : runRows(call, () => quick.openRest(), quick.planRest(plans), options, first, quick);
  if (onStall !== undefined) run = run.finally(watchRun(call, stallAfterMs!, onStall as never));
  return onFailure === undefined ? run : reportFailure(run, first, onFailure);
}

/** Calls back if the run fails at a place. */
async function reportFailure<T>(
  run: Promise<T>,
  first: FirstFailure,
  onFailure: (failure: RunFailure) => void,
): Promise<T> {
  try {
    return await run;
  } catch (reason) {
    const at = first.failure?.at;
    if (at !== undefined) callQuietly(onFailure, at);
    throw reason;
  }
}

/** A pair of streams, such as a `CompressionStream`, is the end of one run and the start of another. */
async function runRows(
  call: RunCall,
  open: () => PullSource,
  [{ plans, pair, from }, ...others]: readonly Row[],
  options: RunOptions,
  first: FirstFailure,
  quick?: QuickRun,
): Promise<PipelineResult> {
  if (pair === undefined) {
    const sink = openSink(call.sink);
    return await new Run(open(), plans, sink, options, first, { call, from }, quick).execute();
  }
  const { signal, preventCancel } = options;
  const before = new Run(
    open(),
    plans,
    openPair(pair),
    {
      signal,
      preventCancel,
      isPart: true,
      isBeforePair: true,
    },
    new FirstFailure(first),
    { call, from, pairAt: from + plans.length },
  );
  const beforeEnded = before.execute().then(() => {}, () => {});
  const after = runRows(call, () => openStream(pair.readable), others, {
    ...options,
    preventCancel: false,
    isPart: true,
  }, first);
  const [outcome] = await Promise.allSettled([after]);
  // What ended early says so to what is before it; a pair whose streams know nothing of each other does not.
  await Promise.race([beforeEnded, new Promise<void>(yieldTurn)]);
  before.stop(
    outcome.status === "rejected"
      ? outcome.reason
      : new TypeError("Cannot write: a later stage has ended the stream"),
  );
  await beforeEnded;
  if (outcome.status === "rejected") throw outcome.reason;
  if (before.cancelFailure !== undefined) throw before.cancelFailure.reason;
  // What fails before the pair comes out of it; where only its writable side failed, it has ended early.
  if (before.sinkWasClosed) {
    throw new TypeError(`Cannot ${call.action}: the writable side of a pair was closed already`);
  }
  return before.addCounts({ ...outcome.value, chunksRead: before.chunksRead });
}
