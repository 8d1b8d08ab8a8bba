import type { Transformer } from "../web_types.ts";
import { sliding } from "./sliding.ts";

/**
 * Gives each chunk together with the one before it, from the second chunk on.
 *
 * @typeParam T The type of the chunks that come in; pairs of them go out.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 *
 * @example Differences
 * ```ts
 * import { map, pairwise, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const difference = map(([before, now]: [number, number]) => now - before);
 *
 * assert.deepEqual(await toArray([1, 4, 9, 16], pairwise(), difference), [3, 5, 7]);
 * ```
 */
export function pairwise<T>(): Transformer<T, [T, T]> {
  return sliding<T>(2) as Transformer<T, [T, T]>;
}
