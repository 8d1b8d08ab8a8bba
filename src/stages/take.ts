import { checkInteger } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import { oneOf, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";

/** What `take` does once it has what it takes. */
export interface TakeOptions {
  /**
   * `"end"`: the stream ends with the n-th chunk. `"fail"`: it goes on, and a chunk more fails it with a `RangeError`, so
   * that output that ends is complete. Default: `"end"`.
   */
  atLimit?: "end" | "fail" | undefined;
}

/**
 * Keeps the first `n` chunks and then ends the stream: with the n-th chunk, without waiting for
 * another. The stages before it and the source are cancelled.
 *
 * @typeParam T The type of the chunks.
 * @param n How many chunks; 0 ends the stream before any.
 * @param options What happens after them.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `n` is not a number, `atLimit` not one of the two, or an option is unknown.
 * @throws {RangeError} If `n` is negative or not an integer.
 *
 * @example The first two
 * ```ts
 * import { take } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const firstTwo = ReadableStream.from(["a", "b", "c"])
 *   .pipeThrough(new TransformStream(take<string>(2)));
 *
 * assert.deepEqual(await Array.fromAsync(firstTwo), ["a", "b"]);
 * ```
 *
 * @example No more than two
 * ```ts
 * import { take, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const atMostTwo = take<string>(2, { atLimit: "fail" });
 * assert.deepEqual(await toArray(["a", "b"], atMostTwo), ["a", "b"]);
 * await assert.rejects(() => toArray(["a", "b", "c"], atMostTwo), /RangeError: .*more than 2 chunks/);
 * ```
 */
export function take<T>(n: number, options: TakeOptions = {}): Transformer<T, T> {
  const action = "create take";
  checkInteger(action, "n", n, 0);
  const { atLimit } = readOptions(action, options, { atLimit: oneOf(["end", "fail"], "end") });
  return operator((controller) => {
    let remaining = n;
    const ends = atLimit === "end";
    if (ends && n === 0) controller.terminate();
    return {
      transform(chunk) {
        if (remaining === 0) throw new RangeError(`Cannot take: there are more than ${n} chunks`);
        controller.enqueue(chunk);
        if (--remaining === 0 && ends) controller.terminate();
      },
    };
  }, { name: "take" });
}
