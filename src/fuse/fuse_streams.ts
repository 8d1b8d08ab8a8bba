import { Engine } from "../engine/engine.ts";
import { planStages } from "../engine/plan_stages.ts";
import type { Turn } from "../engine/ports.ts";
import { yieldTurn } from "../engine/turn.ts";
import { ReadableEnd } from "./readable_end.ts";
import type { FuseStrategies } from "./types.ts";
import { WritableEnd } from "./writable_end.ts";

// Between native ends only microtasks run, as in a native chain: there is no turn to give up.
const turn: Turn = { sliceSize: 128, isOver: () => false, next: yieldTurn };
const identity = {};

/** Puts native streams at both ends of a chain. */
export function fuseStreams(
  stages: readonly unknown[],
  { writableStrategy, readableStrategy }: FuseStrategies<unknown, unknown>,
): { readable: ReadableStream<unknown>; writable: WritableStream<unknown> } {
  const plans = planStages("fuse", stages);
  if (plans.length === 0) plans.push({ transformer: identity });
  const input = new WritableEnd();
  const output = new ReadableEnd(readableStrategy);
  const engine = new Engine({ plans, input, output, turn, maxQueued: plans.length - 1 });
  const readable = output.open(engine);
  return { readable, writable: input.open(engine, writableStrategy) };
}
