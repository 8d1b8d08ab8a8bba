import { flattenStages } from "../kernels/composition.ts";
import { Chain } from "./chain.ts";
import type { Turn } from "./ports.ts";
import { ReadableEnd } from "./readable_end.ts";
import type { FuseStrategies } from "./types.ts";
import { WritableEnd } from "./writable_end.ts";

// Between native ends only microtasks run, as in a native chain: there is no turn to give up.
const turn: Turn = { sliceSize: 128, isOver: () => false };

/** Puts native streams at both ends of a chain. */
export function fuseStreams(
  stages: readonly unknown[],
  strategies: FuseStrategies<unknown, unknown>,
): { readable: ReadableStream<unknown>; writable: WritableStream<unknown> } {
  const transformers = flattenStages(stages);
  const input = new WritableEnd();
  const output = new ReadableEnd(strategies.readableStrategy);
  const chain = new Chain(
    transformers,
    input,
    output,
    turn,
    Math.max(0, transformers.length - 1),
  );
  const readable = output.open(chain);
  const writable = input.open(chain, strategies.writableStrategy);
  chain.start();
  return { readable, writable };
}
