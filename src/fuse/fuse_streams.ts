import { createDeferred } from "../deferred.ts";
import { Engine } from "../engine/engine.ts";
import { planStages } from "../engine/plan_stages.ts";
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

/** Puts native streams at both ends of a chain. */
export function fuseStreams(
  stages: readonly unknown[],
  { writableStrategy, readableStrategy }: FuseStrategies<unknown, unknown>,
): { readable: ReadableStream<unknown>; writable: WritableStream<unknown> } {
  const plans = planStages("fuse", stages);
  if (plans.length === 0) plans.push({ transformer: identity });
  const loopTurn = new LoopTurn();
  const input = new WritableSide(loopTurn);
  const output = new ReadableSide(readableStrategy, loopTurn);
  const engine = new Engine({ plans, input, output, turn, maxQueued: plans.length - 1 });
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
  return { readable, writable };
}
