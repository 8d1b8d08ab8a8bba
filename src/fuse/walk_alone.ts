import { isPromiseLike } from "../is_promise_like.ts";
import type { Chain } from "./chain.ts";
import { failStage } from "./endings.ts";
import type { Stage } from "./stage.ts";

/**
 * Lets a chunk walk by itself, without a slice, as far as stages are operators that give at most one chunk for
 * one; only where nothing waits in the chain and the output has room. Tells before which stage it stands, then
 * as the slice's first, or -1 if it has left the chain.
 */
export function walkAlone(chain: Chain, chunk: unknown): number {
  const { stages } = chain;
  let index = 0;
  try {
    for (; index < stages.length; index++) {
      const stage = stages[index]!;
      const { kernel } = stage;
      if (stage.isBusy || stage.isClosed) break;
      if (kernel === undefined) {
        if (stage.transform !== undefined) break;
        continue;
      }
      if (kernel.kind === "flatMap") break;
      const result = kernel.fn(chunk, stage.chunkIndex++);
      if (kernel.kind === "map") {
        // As in the loop over slices: strings first, and a zero may have changed its sign.
        if (typeof result !== "string") {
          if (result === chunk && result !== 0) continue;
          if (isPromiseLike(result)) return wait(chain, stage, result, (value) => value);
        }
        chunk = result;
      } else if (kernel.kind === "filter") {
        if (result === true) continue;
        if (isPromiseLike(result)) {
          const tried = chunk;
          chain.awaitStage(stage, result, (verdict) => verdict && chain.emit(stage, tried));
          return -1;
        }
        if (!result) return -1;
      } else if (result !== undefined && isPromiseLike(result)) {
        const tapped = chunk;
        return wait(chain, stage, result, () => tapped);
      }
    }
    if (index === stages.length && chain.output.hasRoom()) {
      chain.output.writeOne(chunk);
      return -1;
    }
  } catch (reason) {
    failStage(chain, stages[Math.min(index, stages.length - 1)]!, reason);
    return -1;
  }
  chain.work.items[0] = chunk;
  chain.work.count = 1;
  return index;
}

function wait(
  chain: Chain,
  stage: Stage,
  promise: PromiseLike<unknown>,
  chunkOf: (value: unknown) => unknown,
): number {
  chain.awaitStage(stage, promise, (value) => chain.emit(stage, chunkOf(value)));
  return -1;
}
