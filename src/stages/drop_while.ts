import { checkFunction } from "../errors.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { operator } from "../kernels/operator.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Skips chunks until a function returns a falsy value; that chunk and all after it are kept. The function
 * is not called again.
 *
 * @typeParam T The type of the chunks.
 * @param fn Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; returns whether it is left out,
 * or a promise of that.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `fn` is not a function.
 *
 * @example Without the comments at the top
 * ```ts
 * import { dropWhile } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const rows = ReadableStream.from(["# 2026", "# draft", "Ada;36", "# kept"])
 *   .pipeThrough(new TransformStream(dropWhile((line: string) => line.startsWith("#"))));
 *
 * assert.deepEqual(await Array.fromAsync(rows), ["Ada;36", "# kept"]);
 * ```
 */
export function dropWhile<T>(
  fn: (chunk: T, index: number, context: StageContext) => unknown,
): Transformer<T, T> {
  checkFunction("create dropWhile", "fn", fn);
  return operator((controller, context) => {
    let index = 0;
    let isDropping = true;
    return {
      transform(chunk) {
        if (!isDropping) return controller.enqueue(chunk);
        const accept = (goes: unknown): void => {
          if (goes) return;
          isDropping = false;
          controller.enqueue(chunk);
        };
        const goes = fn(chunk, index++, context);
        return isPromiseLike(goes) ? Promise.resolve(goes).then(accept) : accept(goes);
      },
    };
  }, { name: "dropWhile", fn });
}
