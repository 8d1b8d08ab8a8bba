import { checkPair, isPair, markUsed, type Pair } from "../pair.ts";
import type { StagePlan } from "./plan_stages.ts";

/** Stages in a row, and the pair of streams that follows them; the last row has none. */
export interface Row {
  readonly plans: readonly StagePlan[];
  readonly pair: Pair | undefined;
  /** How many stages, and pairs, stand before them. */
  readonly from: number;
}

/** Divides stages at the pairs among them, which are made where they are to be, and used from now on. */
export function divideAtPairs(plans: readonly StagePlan[]): Row[] {
  const rows: Row[] = [];
  const made: Pair[] = [];
  let from = 0;
  plans.forEach(({ pairName, transformer }, index) => {
    if (pairName === undefined) return;
    let pair = transformer as Pair;
    if (typeof transformer === "function") {
      try {
        made.push(pair = makePair(pairName, transformer as () => unknown));
      } catch (reason) {
        abortPairs(made, reason);
        throw reason;
      }
    }
    markUsed(pair);
    rows.push({ plans: plans.slice(from, index), pair, from });
    from = index + 1;
  });
  rows.push({ plans: plans.slice(from), pair: undefined, from });
  return rows;
}

/** Ends pairs that will not be used. */
export function abortPairs(pairs: readonly Pair[], reason: unknown): void {
  for (const { readable, writable } of pairs) {
    writable.abort(reason).catch(ignore);
    readable.cancel(reason).catch(ignore);
  }
}

function makePair(name: string, make: () => unknown): Pair {
  const pair = make();
  if (!isPair(pair)) {
    throw new TypeError(
      `${name} is a function that made no pair of streams; wrap it, as in map(fn)`,
    );
  }
  checkPair(name, pair);
  return pair;
}

function ignore(): void {}
