import { isPromiseLike } from "../is_promise_like.ts";
import { awaitMapped, awaitTapped, awaitVerdict } from "./await_kernel.ts";
import type { Chain } from "./chain.ts";
import { failStage } from "./endings.ts";
import { beginFlatMap } from "./iterate.ts";
import type { Stage } from "./stage.ts";

/**
 * Runs `stage` over the chain's slice and leaves what it gives in the slice. What it cannot begin, since it waits
 * for a promise, goes back to its queue.
 */
export function processStage(chain: Chain, stage: Stage): void {
  const { kernel } = stage;
  if (kernel === undefined) {
    if (stage.transform !== undefined) runTransform(chain, stage);
  } else if (kernel.kind === "map") runMap(chain, stage, kernel.fn);
  else if (kernel.kind === "filter") runFilter(chain, stage, kernel.fn);
  else if (kernel.kind === "tap") runTap(chain, stage, kernel.fn);
  else beginFlatMap(chain, stage, kernel.fn);
}

type Fn = (chunk: unknown, index: number) => unknown;

// The three loops below look for the common result first: to ask an engine for a type can cost more than the call.

function runMap(chain: Chain, stage: Stage, fn: Fn): void {
  const { work } = chain;
  const { items, count } = work;
  const base = stage.chunkIndex;
  let i = 0;
  try {
    for (; i < count; i++) {
      const chunk = items[i];
      const result = fn(chunk, base + i);
      // A string is no promise, and to compare two of them costs more than to store one.
      if (typeof result === "string") {
        items[i] = result;
        continue;
      }
      // A zero may have changed its sign.
      if (result === chunk && result !== 0) continue;
      if ((typeof result === "object" || typeof result === "function") && isPromiseLike(result)) {
        stage.chunkIndex = base + i + 1;
        leaveRest(chain, stage, i, i);
        awaitMapped(chain, stage, result);
        return;
      }
      items[i] = result;
    }
    stage.chunkIndex = base + count;
  } catch (reason) {
    work.truncate(i);
    failStage(chain, stage, reason);
  }
}

function runTap(chain: Chain, stage: Stage, fn: Fn): void {
  const { work } = chain;
  const { items, count } = work;
  const base = stage.chunkIndex;
  let i = 0;
  try {
    for (; i < count; i++) {
      const chunk = items[i];
      const result = fn(chunk, base + i);
      if (result === undefined) continue;
      if ((typeof result === "object" || typeof result === "function") && isPromiseLike(result)) {
        stage.chunkIndex = base + i + 1;
        leaveRest(chain, stage, i, i);
        awaitTapped(chain, stage, result, chunk);
        return;
      }
    }
    stage.chunkIndex = base + count;
  } catch (reason) {
    work.truncate(i);
    failStage(chain, stage, reason);
  }
}

function runFilter(chain: Chain, stage: Stage, fn: Fn): void {
  const { work } = chain;
  const { items, count } = work;
  const base = stage.chunkIndex;
  let kept = 0;
  try {
    for (let i = 0; i < count; i++) {
      const chunk = items[i];
      const verdict = fn(chunk, base + i);
      if (verdict === false) continue;
      if (verdict !== true && isPromiseLike(verdict)) {
        stage.chunkIndex = base + i + 1;
        leaveRest(chain, stage, kept, i);
        awaitVerdict(chain, stage, verdict, chunk);
        return;
      }
      if (verdict) items[kept++] = chunk;
    }
    stage.chunkIndex = base + count;
    if (kept < count) work.truncate(kept);
  } catch (reason) {
    work.truncate(kept);
    failStage(chain, stage, reason);
  }
}

/** Ends a loop at chunk `index`, which is waited for: `kept` results walk on, the chunks after it wait. */
function leaveRest(chain: Chain, stage: Stage, kept: number, index: number): void {
  chain.putBack(stage, index + 1);
  chain.work.truncate(kept);
}

function runTransform(chain: Chain, stage: Stage): void {
  const { work, spare } = chain;
  const { items, count } = work;
  const { transformer, transform } = stage;
  const controller = chain.controllers[stage.index]!;
  const limit = chain.turn.sliceSize;
  const isMeasured = chain.output.measures && stage.index === chain.stages.length - 1;
  if (!isMeasured) stage.collector = spare;
  let i = 0;
  try {
    while (i < count && !stage.isClosed && spare.count < limit) {
      const chunk = items[i];
      items[i++] = undefined;
      const result = transform!.call(transformer, chunk, controller);
      if (result !== undefined && isPromiseLike(result)) {
        chain.awaitStage(stage, result);
        break;
      }
    }
  } catch (reason) {
    failStage(chain, stage, reason);
  }
  stage.collector = undefined;
  if (i < count && !stage.isClosed) chain.putBack(stage, i);
  if (i < count) work.truncate(0);
  work.count = 0;
  chain.takeSpare(stage);
}
