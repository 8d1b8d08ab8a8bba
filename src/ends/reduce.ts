import { checkFunction, throwTypeError } from "../errors.ts";
import { scan, toState } from "../stages/scan.ts";
import { isOptions } from "../is_options.ts";
import { gather, readGatherCall } from "./gather.ts";
import type { Reduce } from "./reduce_signatures.ts";
import type { Reducer } from "./test_types.ts";

/**
 * Runs a job as `pipeline` does, without a sink, to its end, and folds the chunks that come out into one value.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param fn Gets the state, the chunk, its index, counted from 0, and a context with a `signal`; returns the next
 * state or a promise of it.
 * @param seed The state before the first chunk. Where `fn` changes it, as it does a `Map`, an object with nothing but
 * the function `seed` that makes it, as in `scan`.
 * @param options Last, and optional: those of every run, such as `signal` and `runName`.
 * @returns The last state; the seed if there is no chunk.
 * @throws {TypeError} If `fn` is not a function or there is no seed, source, a stage or an option is of the wrong
 * kind, or a stream is locked.
 * @throws Whatever the source, a stage or `fn` fails with, and the signal's reason.
 *
 * @example A sum, and counts
 * ```ts
 * import { reduce } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(await reduce([1, 2, 3], (sum, n) => sum + n, 0), 6);
 * assert.deepEqual(await reduce([], (sum, n) => sum + n, 0), 0);
 *
 * const counts = await reduce(
 *   ["to", "be", "to"],
 *   (counts, word) => counts.set(word, (counts.get(word) ?? 0) + 1),
 *   { seed: () => new Map<string, number>() },
 * );
 * assert.deepEqual(counts, new Map([["to", 2], ["be", 1]]));
 * ```
 */
export const reduce: Reduce = runReduce as Reduce;

/** Tells whether `fn` is third from last. A function that is a stage is a generator function. */
function hasOptions(args: readonly unknown[]): boolean {
  return args.length > 3 && typeof args.at(-3) === "function" && isOptions(args.at(-1)) &&
    !/GeneratorFunction\]$/.test(Object.prototype.toString.call(args.at(-3)));
}

async function runReduce(...args: unknown[]): Promise<unknown> {
  const action = "run reduce";
  const isLast = !hasOptions(args);
  const from = args.length - (isLast ? 2 : 3);
  if (from < 1) throwTypeError(action, "the arguments", "a source, fn and a seed", undefined);
  const [fn, seed, options] = args.slice(from);
  checkFunction(action, "fn", fn);
  const call = readGatherCall(runReduce, "reduce", [], [...args.slice(0, from), options]);
  let state = toState(seed);
  const fold = scan(fn as Reducer<unknown, unknown>, { seed: () => state });
  await gather({ ...call, stages: [...call.stages, fold] }, (next) => void (state = next));
  return state;
}
