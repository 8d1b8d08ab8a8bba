import { isPromiseLike } from "../is_promise_like.ts";
import { awaitMapped } from "./await_kernel.ts";
import type { Chain } from "./chain.ts";
import { failStage } from "./endings.ts";
import type { Stage } from "./stage.ts";

/** How many maps in a row are run as one. */
const blockSize = 8;

type BlockIndices = [number, number, number, number, number, number, number, number];

type Fn = (chunk: unknown, index: number) => unknown;

/** Maps in a row, to be run as one. */
export interface MapBlock {
  readonly stages: readonly Stage[];
  readonly fns: readonly Fn[];
}

/** Finds the blocks of a chain; each stands where its first stage does. */
export function findMapBlocks(stages: readonly Stage[]): (MapBlock | undefined)[] {
  const blocks = new Array<MapBlock | undefined>(stages.length).fill(undefined);
  for (let from = 0; from < stages.length;) {
    const fns: Fn[] = [];
    while (fns.length < blockSize) {
      const kernel = stages[from + fns.length]?.kernel;
      if (kernel?.kind !== "map") break;
      fns.push(kernel.fn);
    }
    const isWhole = fns.length === blockSize;
    if (isWhole) blocks[from] = { stages: stages.slice(from, from + blockSize), fns };
    from += isWhole ? blockSize : fns.length + 1;
  }
  return blocks;
}

/**
 * Runs a block, whose first stage may run, over the chain's slice, chunk by chunk: from one map to the next a
 * chunk needs no place in the slice, and each call stands by itself, which lets an engine make it direct. What it
 * cannot begin, since one of the maps waits for a promise, goes back to the queue of the first.
 *
 * @returns `false` if another stage of it cannot take a chunk now, and nothing was done.
 */
export function runMapBlock(chain: Chain, { stages, fns }: MapBlock): boolean {
  for (let i = 1; i < stages.length; i++) {
    const { isBusy, isClosed, needsAttention } = stages[i]!;
    if (isBusy || isClosed || needsAttention) return false;
  }
  const { work } = chain;
  const { items, count } = work;
  const first = stages[0]!;
  const [f0, f1, f2, f3, f4, f5, f6, f7] = fns as [Fn, Fn, Fn, Fn, Fn, Fn, Fn, Fn];
  const [n0, n1, n2, n3, n4, n5, n6, n7] = stages.map((stage) => stage.chunkIndex) as BlockIndices;
  let i = 0;
  let at = 0;
  let promise: PromiseLike<unknown> | undefined;
  try {
    // A map may give up the whole run, which closes its stage.
    while (i < count && !first.isClosed) {
      let chunk = items[i];
      waiting: {
        at = 0;
        chunk = f0(chunk, n0 + i);
        if (typeof chunk !== "string" && isPromiseLike(chunk)) break waiting;
        at = 1;
        chunk = f1(chunk, n1 + i);
        if (typeof chunk !== "string" && isPromiseLike(chunk)) break waiting;
        at = 2;
        chunk = f2(chunk, n2 + i);
        if (typeof chunk !== "string" && isPromiseLike(chunk)) break waiting;
        at = 3;
        chunk = f3(chunk, n3 + i);
        if (typeof chunk !== "string" && isPromiseLike(chunk)) break waiting;
        at = 4;
        chunk = f4(chunk, n4 + i);
        if (typeof chunk !== "string" && isPromiseLike(chunk)) break waiting;
        at = 5;
        chunk = f5(chunk, n5 + i);
        if (typeof chunk !== "string" && isPromiseLike(chunk)) break waiting;
        at = 6;
        chunk = f6(chunk, n6 + i);
        if (typeof chunk !== "string" && isPromiseLike(chunk)) break waiting;
        at = 7;
        chunk = f7(chunk, n7 + i);
        if (typeof chunk !== "string" && isPromiseLike(chunk)) break waiting;
        items[i++] = chunk;
        continue;
      }
      promise = chunk as PromiseLike<unknown>;
      break;
    }
  } catch (reason) {
    noteCalls(stages, i, at);
    work.truncate(i);
    failStage(chain, stages[at]!, reason);
    return true;
  }
  noteCalls(stages, i, promise === undefined ? -1 : at);
  if (first.isClosed) work.truncate(0);
  else if (promise !== undefined) {
    chain.putBack(first, i + 1);
    work.truncate(i);
  }
  // Also where the run was given up: nobody else would hear of its failure.
  if (promise !== undefined) awaitMapped(chain, stages[at]!, promise);
  return true;
}

/** Counts `count` chunks for every stage, and one more for those up to `at`. */
function noteCalls(stages: readonly Stage[], count: number, at: number): void {
  for (let i = 0; i < stages.length; i++) stages[i]!.chunkIndex += i <= at ? count + 1 : count;
}
