import { checkInteger } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Keeps the last `n` chunks, which go on when the stream ends: until then so many are held, and nothing comes out.
 *
 * @typeParam T The type of the chunks.
 * @param n How many chunks; with 0 none goes on, though all are read.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `n` is not a number.
 * @throws {RangeError} If `n` is negative or not an integer.
 *
 * @example The end of a log
 * ```ts
 * import { lines, takeLast, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const log = ["one\ntwo\nth", "ree\n"];
 * assert.deepEqual(await toArray(log, lines(), takeLast(2)), ["two", "three"]);
 * ```
 */
export function takeLast<T>(n: number): Transformer<T, T> {
  checkInteger("create takeLast", "n", n, 0);
  return operator((controller) => {
    let held: T[] = [];
    /** Where the oldest is, once there are `n`. */
    let oldest = 0;
    return {
      transform(chunk) {
        if (held.length < n) held.push(chunk);
        else if (n > 0) {
          held[oldest] = chunk;
          oldest = (oldest + 1) % n;
        }
      },
      flush() {
        for (let index = 0; index < held.length; index++) {
          controller.enqueue(held[(oldest + index) % held.length]!);
        }
        held = [];
      },
    };
  }, { name: "takeLast" });
}
