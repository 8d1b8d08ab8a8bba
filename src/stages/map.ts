import { checkFunction } from "../errors.ts";
import { MapKernel } from "../kernels/map.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import { kernelTransformer } from "../kernels/kernel_transformer.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Replaces each chunk by what a function returns.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The type of the chunks that go out.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a
 * `signal` that aborts when the stream is cancelled or aborted; returns the new chunk or a
 * promise of it. The next chunk waits for that promise; see `parallel` for several at a time. It
 * may return what it was given, even a chunk that is a promise. A function with parameters of its own would take
 * the index for one of them: `map((text) => parseInt(text))`, not `map(parseInt)`.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example Numbering lines
 * ```ts
 * import { map, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const numbered = await toArray(["a", "b"], map((line, index) => `${index + 1}: ${line}`));
 *
 * assert.deepEqual(numbered, ["1: a", "2: b"]);
 * ```
 */
export function map<I, O>(
  fn: (chunk: I, index: number, context: StageContext) => O | PromiseLike<O>,
): Transformer<I, O> {
  checkFunction("create map", "fn", fn);
  return kernelTransformer(() => new MapKernel(fn as StageFunction), "map", fn);
}
