import { Engine } from "../engine/engine.ts";
import { planStages } from "../engine/plan_stages.ts";
import type { Turn } from "../engine/ports.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { ReadableEnd } from "./readable_end.ts";
import type { FuseStrategies } from "./types.ts";
import { WritableEnd } from "./writable_end.ts";

// Between native ends only microtasks run, as in a native chain: there is no turn to give up.
const turn: Turn = { sliceSize: 128, isOver: () => false };
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
  const { promise: started, resolve, reject } = Promise.withResolvers<void>();
  const readable = output.open(engine);
  const writable = input.open(engine, writableStrategy, started);
  const result = engine.start();
  if (isPromiseLike(result)) {
    // Where the stream has ended meanwhile, how its start failed counts no more.
    const { first } = engine;
    result.then(() => resolve(), (reason) => first.thrown ? reject(reason) : resolve());
  } else resolve();
  return { readable, writable };
}
