import { checkInteger } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Skips the first `n` chunks.
 *
 * @typeParam T The type of the chunks.
 * @param n How many chunks to skip.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `n` is not a number.
 * @throws {RangeError} If `n` is negative or not an integer.
 *
 * @example Without the heading
 * ```ts
 * import { drop } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const rows = ReadableStream.from(["name;age", "Ada;36", "Alan;41"])
 *   .pipeThrough(new TransformStream(drop<string>(1)));
 *
 * assert.deepEqual(await Array.fromAsync(rows), ["Ada;36", "Alan;41"]);
 * ```
 */
export function drop<T>(n: number): Transformer<T, T> {
  checkInteger("create drop", "n", n, 0);
  return operator((controller) => {
    let remaining = n;
    return {
      transform(chunk) {
        if (remaining === 0) controller.enqueue(chunk);
        else remaining--;
      },
    };
  }, { name: "drop" });
}
