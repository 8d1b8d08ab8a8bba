import { isPromiseLike } from "../is_promise_like.ts";
import { awaitMapped, awaitTapped, awaitVerdict } from "./await_kernel.ts";
import type { Chain } from "./chain.ts";
import { failStage } from "./endings.ts";

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
      const { kind, fn } = kernel;
      if (kind === "flatMap") break;
      const result = fn(chunk, stage.chunkIndex++);
      if (kind === "map") {
        // As in the loop over slices: strings first, and a zero may have changed its sign.
        if (typeof result !== "string") {
          if (result === chunk && result !== 0) continue;
          if (isPromiseLike(result)) {
            awaitMapped(chain, stage, result);
            return -1;
          }
        }
        chunk = result;
      } else if (kind === "filter") {
        if (result === true) continue;
        if (isPromiseLike(result)) {
          awaitVerdict(chain, stage, result, chunk);
          return -1;
        }
        if (!result) return -1;
      } else if (result !== undefined && isPromiseLike(result)) {
        awaitTapped(chain, stage, result, chunk);
        return -1;
      }
    }
    if (index === stages.length) {
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
