import { isPromiseLike } from "../is_promise_like.ts";
import type { Chain } from "./chain.ts";
import type { Stage } from "./stage.ts";

/** Runs flatMap over the slice until it fails, waits or has given a slice's worth. */
export function beginFlatMap(
  chain: Chain,
  stage: Stage,
  fn: (chunk: unknown, index: number) => unknown,
  count: number,
): number {
  const { work } = chain;
  const limit = chain.turn.sliceSize;
  let i = 0;
  try {
    while (i < count && !stage.isBusy && stage.iterator === undefined && chain.spareCount < limit) {
      const chunk = work[i];
      work[i++] = undefined;
      const result = fn(chunk, stage.chunkIndex++);
      if (isPromiseLike(result)) {
        chain.awaitStage(stage, result, (items) => {
          openIterator(stage, items);
          chain.note(stage);
        });
      } else if (Array.isArray(result)) {
        for (const item of result) chain.spare[chain.spareCount++] = item;
      } else {
        openIterator(stage, result);
        drainIterator(chain, stage);
      }
    }
  } catch (reason) {
    chain.failStage(stage, reason);
  }
  if (stage.isClosed) work.fill(undefined, i, count);
  else chain.putBack(stage, i, count);
  return chain.takeSpare(stage);
}

/** Goes on with an iterator that was left when its slice was full. */
export function resumeIterator(chain: Chain, stage: Stage): number {
  try {
    drainIterator(chain, stage);
  } catch (reason) {
    chain.failStage(stage, reason);
  }
  return chain.takeSpare(stage);
}

function openIterator(stage: Stage, items: unknown): void {
  const candidate = items as Partial<Iterable<unknown> & AsyncIterable<unknown>> | null | undefined;
  const openAsync = candidate?.[Symbol.asyncIterator];
  const open = (openAsync ?? candidate?.[Symbol.iterator]) as (() => Stage["iterator"]) | undefined;
  if (typeof open !== "function") {
    throw new TypeError(
      `Cannot flatMap: fn must return an iterable or async iterable, got ${typeof items}`,
    );
  }
  stage.isIteratorAsync = openAsync !== undefined && openAsync !== null;
  stage.iterator = open.call(candidate);
}

function drainIterator(chain: Chain, stage: Stage): void {
  const { iterator } = stage;
  if (stage.isIteratorAsync) {
    const next = (async () => {
      try {
        return await (iterator as AsyncIterator<unknown>).next();
      } catch (reason) {
        // An iterator that failed by itself is not closed again.
        stage.iterator = undefined;
        throw reason;
      }
    })();
    chain.awaitStage(stage, next, (result) => {
      const { done, value } = result as IteratorResult<unknown>;
      if (done) stage.iterator = undefined;
      else chain.emit(stage, value);
    });
    return;
  }
  const limit = chain.turn.sliceSize;
  stage.iterator = undefined;
  while (chain.spareCount < limit) {
    const { done, value } = (iterator as Iterator<unknown>).next();
    if (done) return;
    chain.spare[chain.spareCount++] = value;
  }
  stage.iterator = iterator;
}
