import { checkInteger } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import type { Transformer } from "../web_types.ts";

/**
 * Gives arrays of `size` chunks that follow each other, each array `step` chunks after the one before.
 *
 * Each array is a new one, and full: chunks that fill none at the end are dropped. With a `step` above `size`,
 * those between two arrays are dropped too. At most `size` chunks are held.
 *
 * @typeParam T The type of the chunks that come in; arrays of them go out.
 * @param size How many chunks an array has.
 * @param step How many chunks later the next begins. Default: 1.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If a number is not one.
 * @throws {RangeError} If `size` or `step` is not a positive integer.
 *
 * @example Moving averages
 * ```ts
 * import { map, sliding, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const average = map((of: number[]) => of.reduce((sum, n) => sum + n) / of.length);
 *
 * assert.deepEqual(await toArray([1, 2, 3, 7], sliding(3), average), [2, 4]);
 * assert.deepEqual(await toArray([1, 2, 3, 4, 5], sliding(2, 3)), [[1, 2], [4, 5]]);
 * ```
 */
export function sliding<T>(size: number, step: number = 1): Transformer<T, T[]> {
  const action = "create sliding";
  checkInteger(action, "size", size, 1);
  checkInteger(action, "step", step, 1);
  return operator((controller) => {
    let held: T[] = [];
    /** How many chunks are dropped before the next array begins. */
    let skipped = 0;
    return {
      transform(chunk) {
        if (skipped > 0) {
          skipped--;
          return;
        }
        held.push(chunk);
        if (held.length < size) return;
        const full = held;
        held = full.slice(step);
        skipped = Math.max(0, step - size);
        controller.enqueue(full);
      },
    };
  }, { name: "sliding" });
}
