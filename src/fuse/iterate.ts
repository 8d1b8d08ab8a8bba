import { isPromiseLike } from "../is_promise_like.ts";
import type { Chain } from "./chain.ts";
import { failStage } from "./endings.ts";
import type { Slice } from "./slice.ts";
import type { Stage } from "./stage.ts";

/** Runs flatMap over the slice until it fails, waits or has given a slice's worth. */
export function beginFlatMap(
  chain: Chain,
  stage: Stage,
  fn: (chunk: unknown, index: number) => unknown,
): void {
  const { work, spare } = chain;
  const { items, count } = work;
  const limit = chain.turn.sliceSize;
  let i = 0;
  try {
    while (i < count && !stage.isBusy && stage.iterator === undefined && spare.count < limit) {
      const chunk = items[i];
      items[i++] = undefined;
      const result = fn(chunk, stage.chunkIndex++);
      if (isPromiseLike(result)) {
        chain.awaitStage(stage, result, (results) => openIterator(stage, results));
      } else if (Array.isArray(result)) {
        for (const item of result) spare.items[spare.count++] = item;
      } else {
        openIterator(stage, result);
        drainIterator(chain, stage, spare);
      }
    }
  } catch (reason) {
    failStage(chain, stage, reason);
  }
  if (!stage.isClosed) chain.putBack(stage, i);
  work.truncate(0);
  chain.takeSpare(stage);
}

/** Goes on with an iterator that was left when its slice was full. */
export function resumeIterator(chain: Chain, stage: Stage): void {
  try {
    drainIterator(chain, stage, chain.spare);
  } catch (reason) {
    failStage(chain, stage, reason);
  }
  chain.takeSpare(stage);
}

function openIterator(stage: Stage, results: unknown): void {
  const candidate = results as
    | Partial<Iterable<unknown> & AsyncIterable<unknown>>
    | null
    | undefined;
  const openAsync = candidate?.[Symbol.asyncIterator];
  const open = (openAsync ?? candidate?.[Symbol.iterator]) as
    | (() => Stage["iterator"])
    | undefined;
  if (typeof open !== "function") {
    throw new TypeError(
      `Cannot flatMap: fn must return an iterable or async iterable, got ${typeof results}`,
    );
  }
  stage.isIteratorAsync = openAsync !== undefined && openAsync !== null;
  stage.iterator = open.call(candidate);
}

function drainIterator(chain: Chain, stage: Stage, spare: Slice): void {
  const { iterator } = stage;
  if (stage.isIteratorAsync) {
    chain.awaitStage(stage, pullIterator(stage), (result) => {
      const { done, value } = result as IteratorResult<unknown>;
      if (done) stage.iterator = undefined;
      else chain.emit(stage, value);
    });
    return;
  }
  const limit = chain.turn.sliceSize;
  // While it runs it is nobody's to close: one that failed or ended by itself is not closed again.
  stage.iterator = undefined;
  while (spare.count < limit) {
    const { done, value } = (iterator as Iterator<unknown>).next();
    if (done) return;
    spare.items[spare.count++] = value;
  }
  stage.iterator = iterator;
}

async function pullIterator(stage: Stage): Promise<unknown> {
  try {
    return await (stage.iterator as AsyncIterator<unknown>).next();
  } catch (reason) {
    stage.iterator = undefined;
    throw reason;
  }
}
