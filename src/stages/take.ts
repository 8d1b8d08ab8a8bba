import { checkInteger } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Keeps the first `n` chunks and then ends the stream: with the n-th chunk, without waiting for
 * another. The stages before it and the source are cancelled.
 *
 * @typeParam T The type of the chunks.
 * @param n How many chunks; 0 ends the stream before any.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `n` is not a number.
 * @throws {RangeError} If `n` is negative or not an integer.
 *
 * @example The first two
 * ```ts
 * import { take } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const firstTwo = ReadableStream.from(["a", "b", "c"])
 *   .pipeThrough(new TransformStream(take<string>(2)));
 *
 * assertEquals(await Array.fromAsync(firstTwo), ["a", "b"]);
 * ```
 */
export function take<T>(n: number): Transformer<T, T> {
  checkInteger("create take", "n", n, 0);
  return operator((controller) => {
    let remaining = n;
    if (n === 0) controller.terminate();
    return {
      transform(chunk) {
        controller.enqueue(chunk);
        if (--remaining === 0) controller.terminate();
      },
    };
  }, { name: "take" });
}
