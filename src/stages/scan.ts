import { checkFunction } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { perStream } from "./per_stream.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Folds the chunks into a state and emits the state after each of them. The seed itself is not emitted.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam State The type of the state, which is also the type of the chunks that go out.
 * @param fn Gets the state, the chunk and its index, counted from 0 in each stream; returns the next
 * state or a promise of it. It should return a new state rather than change the old one, which has
 * been handed on already.
 * @param seed The state before the first chunk, the same value for each stream.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example A running total
 * ```ts
 * import { scan } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const totals = ReadableStream.from([1, 2, 3])
 *   .pipeThrough(new TransformStream(scan((total: number, chunk: number) => total + chunk, 0)));
 *
 * assertEquals(await Array.fromAsync(totals), [1, 3, 6]);
 * ```
 */
export function scan<I, State>(
  fn: (state: State, chunk: I, index: number) => State | PromiseLike<State>,
  seed: State,
): Transformer<I, State> {
  checkFunction("create scan", "fn", fn);
  const stateOf = perStream(() => ({ index: 0, value: seed }));
  return {
    transform(chunk, controller): void | PromiseLike<void> {
      const state = stateOf(controller);
      const result = fn(state.value, chunk, state.index++);
      if (isPromiseLike(result)) {
        return result.then((value) => controller.enqueue(state.value = value as State));
      }
      controller.enqueue(state.value = result);
    },
  };
}
