import { checkFunction } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";
import { thenUse } from "./then_use.ts";

/**
 * Keeps chunks until a type guard rejects one, and then ends the stream.
 *
 * @typeParam I The type of the chunks that come in.
 * @typeParam O The narrower type of the chunks that go out.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; answers whether it stays.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 */
export function takeWhile<I, O extends I>(
  fn: (chunk: I, index: number, context: StageContext) => chunk is O,
): Transformer<I, O>;
/**
 * Keeps chunks until a function returns a falsy value, and then ends the stream. The stages before it and
 * the source are cancelled.
 *
 * @typeParam T The type of the chunks.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; returns whether it stays, or
 * a promise of that.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example Up to a mark
 * ```ts
 * import { takeWhile } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const heading = ReadableStream.from(["Host: example", "Accept: *", "", "body"])
 *   .pipeThrough(new TransformStream(takeWhile((line: string) => line !== "")));
 *
 * assert.deepEqual(await Array.fromAsync(heading), ["Host: example", "Accept: *"]);
 * ```
 */
export function takeWhile<T>(
  fn: (chunk: T, index: number, context: StageContext) => unknown,
): Transformer<T, T>;
export function takeWhile<T>(
  fn: (chunk: T, index: number, context: StageContext) => unknown,
): Transformer<T, T> {
  checkFunction("create takeWhile", "fn", fn);
  return operator((controller, context) => {
    let index = 0;
    return {
      transform(chunk) {
        return thenUse(fn(chunk, index++, context), (stays) => {
          if (stays) controller.enqueue(chunk);
          else controller.terminate();
        });
      },
    };
  }, { name: "takeWhile", fn });
}
