import { checkDelay } from "../check_delay.ts";
import { checkFunction, checkInteger, checkOptions } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";
import { Groups } from "./groups.ts";

/** How many chains `groupBy` keeps open, and how long. */
export interface GroupByOptions {
  /**
   * How many keys may have a chain at a time, a positive integer. At one more, the key that was used least recently
   * and is idle is flushed and ended, which a run counts in its result as `keysEvicted`; if none is idle, the stage
   * waits. Default: 1000.
   */
  maxKeys?: number | undefined;
  /**
   * Milliseconds after which a key that takes no chunk is flushed and ended, from 0 to 2,147,483,647. Default: it
   * stays until another needs its place or the stream ends.
   */
  idleMs?: number | undefined;
}

/**
 * Passes the chunks of each key through a chain of its own, and gives what comes out of all of them as it comes.
 *
 * Within a key the order is kept; keys go on at the same time, each with one chunk under way. So at most
 * `maxKeys` chunks are held beside what the chains hold themselves, and one that waits. A key that
 * returns after its chain was ended begins a new one, once the old one has ended. A chain that ends early, as by `take`,
 * drops the further chunks of its key as long as it keeps its place. The first failure of a chain is the stream's,
 * and cancels the others. If the source or an earlier stage fails, each chain passes on what it has begun first.
 *
 * @typeParam T The type of the chunks that come in.
 * @typeParam Key The type of the keys, which are compared as those of a `Map`.
 * @typeParam O The type of the chunks that go out.
 * @param key Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; returns its
 * key or a promise of it.
 * @param makeStage Called with a key that has no chain; makes the stage for it, of several by `compose`.
 * @param options How many chains there may be, and how long they stay.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If a function is none, a number is not one, or an option is unknown.
 * @throws {RangeError} If `maxKeys` is not a positive integer, or `idleMs` not a delay a timer knows.
 *
 * @example A running total of each account
 * ```ts
 * import { compose, groupBy, map, scan, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const payments = [["ada", 1], ["alan", 5], ["ada", 2]] as const;
 * const totals = groupBy(
 *   ([name]: readonly [string, number]) => name,
 *   (name) =>
 *     compose(
 *       map(([, amount]: readonly [string, number]) => amount),
 *       scan((sum, amount) => sum + amount, 0),
 *       map((sum) => `${name}: ${sum}`),
 *     ),
 *   { maxKeys: 100 },
 * );
 *
 * assert.deepEqual((await toArray(payments, totals)).sort(), ["ada: 1", "ada: 3", "alan: 5"]);
 * ```
 */
export function groupBy<T, Key, O>(
  key: (chunk: T, index: number, context: StageContext) => Key | PromiseLike<Key>,
  makeStage: (key: Key) => Transformer<T, O>,
  options: GroupByOptions = {},
): Transformer<T, O> {
  const action = "create groupBy";
  checkFunction(action, "key", key);
  checkFunction(action, "makeStage", makeStage);
  checkOptions(action, options, ["maxKeys", "idleMs"]);
  const { maxKeys = 1000, idleMs } = options;
  checkInteger(action, "maxKeys", maxKeys, 1);
  if (idleMs !== undefined) checkDelay(action, "idleMs", idleMs);
  const plan = { makeStage: makeStage as (key: unknown) => unknown, maxKeys, idleMs };
  return operator((controller, context) => {
    const groups = new Groups(plan, controller);
    let index = 0;
    return {
      transform: (chunk) => groups.add(() => key(chunk, index++, context), chunk),
      flush: () => groups.finish(),
      drain: (reason) => groups.drain(reason),
      cancel: (reason) => groups.cancel(reason),
      addCounts(counts) {
        if (groups.evicted > 0) counts.keysEvicted = (counts.keysEvicted ?? 0) + groups.evicted;
      },
    };
  }, { name: "groupBy", fn: key });
}
