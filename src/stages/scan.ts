import { checkFunction } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";
import { thenUse } from "./then_use.ts";

/** A seed that is made for each stream. */
export interface ScanSeed<State> {
  /** Makes the state before the first chunk. */
  readonly seed: () => State;
}

/** The state before the first chunk: the seed, or what it makes. */
export function toState<State>(seed: State | ScanSeed<State>): State {
  return isMaker(seed) ? seed.seed() : seed;
}

function isMaker<State>(seed: State | ScanSeed<State>): seed is ScanSeed<State> {
  if (seed === null || typeof seed !== "object") return false;
  return typeof (seed as ScanSeed<State>).seed === "function" && Object.keys(seed).length === 1;
}

/**
 * Folds the chunks into a state that is made for each stream, and emits it after each of them.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam State The type of the state, which is also the type of the chunks that go out.
 * @param fn Gets the state, the chunk, its index, counted from 0 in each stream, and a context with a `signal`
 * that aborts when the stream is cancelled or aborted; returns the next state or a promise of it.
 * @param seed Makes the state before the first chunk, once for each stream.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 */
export function scan<I, State>(
  fn: (state: State, chunk: I, index: number, context: StageContext) => State | PromiseLike<State>,
  seed: ScanSeed<State>,
): Transformer<I, State>;
/**
 * Folds the chunks into a state and emits the state after each of them. The seed itself is not emitted.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam State The type of the state, which is also the type of the chunks that go out.
 * @param fn Gets the state, the chunk, its index, counted from 0 in each stream, and a context with a `signal`
 * that aborts when the stream is cancelled or aborted; returns the next state or a promise of it. It should return a new state rather than change the old one, which has
 * been passed on already.
 * @param seed The state before the first chunk, the same value for each stream. Where it must be another
 * for each, as a `Map` must that `fn` adds to, an object with nothing but the function `seed` that makes it.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example A running total
 * ```ts
 * import { scan } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const totals = ReadableStream.from([1, 2, 3])
 *   .pipeThrough(new TransformStream(scan((total: number, chunk: number) => total + chunk, 0)));
 *
 * assert.deepEqual(await Array.fromAsync(totals), [1, 3, 6]);
 * ```
 *
 * @example What has been seen, separately in each stream
 * ```ts
 * import { scan } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const counts = scan((counts: Map<string, number>, word: string) => {
 *   return counts.set(word, (counts.get(word) ?? 0) + 1);
 * }, { seed: () => new Map() });
 * const words = () => ReadableStream.from(["to", "be", "to"]).pipeThrough(new TransformStream(counts));
 *
 * await Array.fromAsync(words());
 * assert.deepEqual((await Array.fromAsync(words())).at(-1), new Map([["to", 2], ["be", 1]]));
 * ```
 */
export function scan<I, State>(
  fn: (state: State, chunk: I, index: number, context: StageContext) => State | PromiseLike<State>,
  seed: State,
): Transformer<I, State>;
/**
 * Folds the chunks, from the first one on, as `Array.prototype.reduce` does without a seed: the first chunk is the
 * first state, and `fn` is called from the second on.
 *
 * @typeParam T The type of the chunks, which is also that of the state.
 * @param fn Gets the state, the chunk, its index, from 1 on, and a context with a `signal`; returns the next state
 * or a promise of it.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 *
 * @example The highest so far
 * ```ts
 * import { scan, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const highest = scan((most: number, n: number) => Math.max(most, n));
 *
 * assert.deepEqual(await toArray([3, 1, 4, 1, 5], highest), [3, 3, 4, 4, 5]);
 * ```
 */
export function scan<T>(
  fn: (state: T, chunk: T, index: number, context: StageContext) => T | PromiseLike<T>,
): Transformer<T, T>;
export function scan<I, State>(
  fn: (state: State, chunk: I, index: number, context: StageContext) => State | PromiseLike<State>,
  ...seeds: (State | ScanSeed<State>)[]
): Transformer<I, State> {
  checkFunction("create scan", "fn", fn);
  return operator((controller, context) => {
    let index = 0;
    let state: State;
    return {
      transform(chunk) {
        if (index === 0) {
          if (seeds.length === 0) {
            index++;
            return controller.enqueue(state = chunk as unknown as State);
          }
          state = toState(seeds[0]!);
        }
        return thenUse(
          fn(state, chunk, index++, context),
          (value) => controller.enqueue(state = value),
        );
      },
    };
  }, { name: "scan", fn });
}
