import { createDeferred } from "../deferred.ts";
import { Engine } from "../engine/engine.ts";
import { abortPairs, divideAtPairs, type Row } from "../engine/divide_at_pairs.ts";
import type { FirstFailure } from "../engine/first_failure.ts";
import { planStages, type StagePlan } from "../engine/plan_stages.ts";
import { setEndMeaning } from "../kernels/end_meaning.ts";
import type { Pair } from "../pair.ts";
import { callSites, keepCallSite } from "../engine/call_site.ts";
import type { RunPlace } from "../engine/run_failure.ts";
import type { TurnBudget } from "../engine/ports.ts";
import { yieldTurn } from "../engine/turn_budget.ts";
import { LoopTurn } from "./loop_turn.ts";
import { ReadableSide } from "./readable_side.ts";
import type { FuseStrategies } from "./types.ts";
import { WritableSide } from "./writable_side.ts";

// Within a chunk there is no turn to give up: the two ends do so between them.
const turn: TurnBudget = { sliceSize: 128, isOver: () => false, next: yieldTurn };
const identity = {};
// A promise, as a `TransformStream` gives its two sides: they take a moment longer over one than over nothing.
const atOnce = Promise.resolve();

/**
 * Puts native streams at both ends of a chain, and around each pair of streams in it; `action` says whose it is, and
 * `firstFailure` is where failures are noted, if anywhere.
 */
export function fuseStreams(
  stages: readonly unknown[],
  strategies: FuseStrategies<unknown, unknown>,
  action = "fuse",
  firstFailure?: FirstFailure,
): Pair {
  const plans = planStages("fuse", stages, true);
  const readCallSite = callSites.areKept ? keepCallSite(undefined) : undefined;
  const place = { call: { action, stages, readCallSite }, from: 0 };
  return plans.some(({ pairName }) => pairName !== undefined)
    ? fuseRows(divideAtPairs(plans), strategies, place, firstFailure)
    : fusePlans(plans, strategies, place, firstFailure);
}

/** The chain of stages in rows and of the pairs between them. */
function fuseRows(
  rows: readonly Row[],
  { writableStrategy, readableStrategy }: FuseStrategies<unknown, unknown>,
  place: RunPlace,
  firstFailure: FirstFailure | undefined,
): Pair {
  const last = rows.length - 1;
  const pairs: Pair[] = [];
  try {
    rows.forEach(({ plans, pair, from }, index) => {
      const own = {
        writableStrategy: index === 0 ? writableStrategy : undefined,
        readableStrategy: index === last ? readableStrategy : undefined,
      };
      const isNeeded = plans.length > 0 || own.writableStrategy !== undefined ||
        own.readableStrategy !== undefined;
      if (isNeeded) pairs.push(fusePlans(plans, own, { ...place, from }, firstFailure));
      if (pair !== undefined) pairs.push(pair);
    });
  } catch (reason) {
    // A stage's `start` has thrown: none of them will be used.
    abortPairs([...pairs, ...rows.flatMap(({ pair }) => pair ?? [])], reason);
    throw reason;
  }
  const { writable } = pairs[0]!;
  const { readable } = pairs.reduce((before, pair) => ({
    writable,
    readable: before.readable.pipeThrough(pair),
  }));
  return { readable, writable };
}

function fusePlans(
  given: readonly StagePlan[],
  { writableStrategy, readableStrategy }: FuseStrategies<unknown, unknown>,
  place: RunPlace,
  firstFailure: FirstFailure | undefined,
): Pair {
  const plans: readonly StagePlan[] = given.length === 0 ? [{ transformer: identity }] : given;
  const loopTurn = new LoopTurn();
  const input = new WritableSide(loopTurn);
  const output = new ReadableSide(readableStrategy, loopTurn);
  const engine = new Engine({
    plans,
    input,
    output,
    turn,
    maxQueued: plans.length - 1,
    place,
    firstFailure,
  });
  const started = plans.some(({ start }) => start !== undefined)
    ? createDeferred<void>()
    : undefined;
  const whenStarted = started?.promise ?? atOnce;
  // The side that is made first begins first: of one stage the writable one, as in a transform stream; a longer chain
  // is asked for its first chunk before it is given it, which keeps chunks from waiting.
  const isChain = plans.length > 1;
  // How the first stage starts is the readable side's business only if that stage is the last one, too.
  const openReadable = () => output.open(engine, input, isChain ? atOnce : whenStarted);
  let readable = isChain ? openReadable() : undefined;
  const writable = input.open(engine, writableStrategy, whenStarted);
  readable ??= openReadable();
  engine.start((answer) => {
    started!.resolve(answer as Promise<void>);
    // The ends follow that promise, too, and so know how it settles before the engine does.
    return new Promise((resolve) => resolve(whenStarted));
  });
  started?.resolve();
  const chain = { stages: engine.stages, place };
  const name = place.call.action;
  const waiting = (what: string) => () => what;
  setEndMeaning(writable, { name, chain, waiting: waiting("its readable side is not read") });
  setEndMeaning(readable, {
    name,
    chain,
    waiting: waiting("nothing is written to its writable side"),
  });
  return { readable, writable };
}
