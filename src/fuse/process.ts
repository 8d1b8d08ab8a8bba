import { isPromiseLike } from "../is_promise_like.ts";
import type { Chain } from "./chain.ts";
import { beginFlatMap } from "./iterate.ts";
import type { Stage } from "./stage.ts";

/**
 * Runs `stage` over the first `count` chunks of the chain's slice and leaves what it gives in the slice; tells
 * how many that are. What it cannot begin, since it waits for a promise, goes back to its queue.
 */
export function processStage(chain: Chain, stage: Stage, count: number): number {
  switch (stage.kernel?.kind) {
    case "map":
      return runMap(chain, stage, stage.kernel.fn, count);
    case "tap":
      return runTap(chain, stage, stage.kernel.fn, count);
    case "filter":
      return runFilter(chain, stage, stage.kernel.fn, count);
    case "flatMap":
      return beginFlatMap(chain, stage, stage.kernel.fn, count);
    default:
      return stage.transform === undefined ? count : runTransform(chain, stage, count);
  }
}

type Fn = (chunk: unknown, index: number) => unknown;

/** Ends a kernel's loop at chunk `index`, which failed. */
function fail(chain: Chain, stage: Stage, index: number, count: number, reason: unknown): void {
  chain.work.fill(undefined, index, count);
  chain.failStage(stage, reason);
}

/** Ends a kernel's loop at chunk `index`, which must be waited for. */
function wait(
  chain: Chain,
  stage: Stage,
  index: number,
  count: number,
  promise: PromiseLike<unknown>,
  then: (value: unknown) => void,
): void {
  chain.putBack(stage, index + 1, count);
  chain.awaitStage(stage, promise, then);
}

function runMap(chain: Chain, stage: Stage, fn: Fn, count: number): number {
  const { work } = chain;
  let i = 0;
  try {
    for (; i < count; i++) {
      const result = fn(work[i], stage.chunkIndex++);
      if (isPromiseLike(result)) {
        work[i] = undefined;
        wait(chain, stage, i, count, result, (value) => chain.emit(stage, value));
        return i;
      }
      work[i] = result;
    }
  } catch (reason) {
    fail(chain, stage, i, count, reason);
  }
  return i;
}

function runTap(chain: Chain, stage: Stage, fn: Fn, count: number): number {
  const { work } = chain;
  let i = 0;
  try {
    for (; i < count; i++) {
      const chunk = work[i];
      const result = fn(chunk, stage.chunkIndex++);
      if (isPromiseLike(result)) {
        work[i] = undefined;
        wait(chain, stage, i, count, result, () => chain.emit(stage, chunk));
        return i;
      }
    }
  } catch (reason) {
    fail(chain, stage, i, count, reason);
  }
  return i;
}

function runFilter(chain: Chain, stage: Stage, fn: Fn, count: number): number {
  const { work } = chain;
  let kept = 0;
  let i = 0;
  try {
    for (; i < count; i++) {
      const chunk = work[i];
      const verdict = fn(chunk, stage.chunkIndex++);
      if (isPromiseLike(verdict)) {
        wait(chain, stage, i, count, verdict, (value) => value && chain.emit(stage, chunk));
        break;
      }
      if (verdict) work[kept++] = chunk;
    }
  } catch (reason) {
    fail(chain, stage, i, count, reason);
  }
  work.fill(undefined, kept, Math.min(i + 1, count));
  return kept;
}

function runTransform(chain: Chain, stage: Stage, count: number): number {
  const { work } = chain;
  const { transformer, transform } = stage;
  const controller = chain.controllers[stage.index];
  const limit = chain.turn.sliceSize;
  const isMeasured = chain.output.measures && stage.index === chain.stages.length - 1;
  chain.collector = isMeasured ? undefined : stage;
  let i = 0;
  try {
    while (i < count && !stage.isClosed && chain.spareCount < limit) {
      const chunk = work[i];
      work[i++] = undefined;
      const result = transform!.call(transformer, chunk, controller);
      if (result !== undefined && isPromiseLike(result)) {
        chain.awaitStage(stage, result);
        break;
      }
    }
  } catch (reason) {
    chain.failStage(stage, reason);
  }
  chain.collector = undefined;
  if (i < count) {
    if (stage.isClosed) work.fill(undefined, i, count);
    else chain.putBack(stage, i, count);
  }
  return chain.takeSpare(stage);
}
