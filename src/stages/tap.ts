import { checkFunction } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { FunctionKernel, type StageFunction } from "../kernels/function_kernel.ts";
import { type OneKernel, runOneByOne, WAIT } from "../kernels/kernel.ts";
import { kernelTransformer } from "../kernels/kernel_transformer.ts";
import type { Slice } from "../kernels/slice.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Calls a function with each chunk and passes the chunk on unchanged.
 *
 * @typeParam T The type of the chunks.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal` that
 * aborts when the stream is cancelled or aborted. What it returns is ignored,
 * except that the chunk waits for a promise; what it throws fails the stream.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example Counting bytes on their way
 * ```ts
 * import { tap } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * let bytes = 0;
 * const chunks = ReadableStream.from([new Uint8Array(3), new Uint8Array(4)])
 *   .pipeThrough(new TransformStream(tap((chunk: Uint8Array) => bytes += chunk.length)));
 *
 * assert.deepEqual((await Array.fromAsync(chunks)).length, 2);
 * assert.deepEqual(bytes, 7);
 * ```
 */
export function tap<T>(
  fn: (chunk: T, index: number, context: StageContext) => unknown,
): Transformer<T, T> {
  checkFunction("create tap", "fn", fn);
  return kernelTransformer(() => new TapKernel(fn as StageFunction), "tap", fn);
}

/** What `tap` does. */
class TapKernel extends FunctionKernel implements OneKernel {
  one(chunk: unknown): unknown {
    const { fn } = this;
    const result = fn(chunk, this.index++, this.context);
    if (result !== undefined && isPromiseLike(result)) {
      this.promise = result;
      return WAIT;
    }
    return chunk;
  }

  run(slice: Slice): number {
    return runOneByOne(this, slice);
  }

  settle(_result: unknown, chunk: unknown): unknown {
    return chunk;
  }
}
