import type { Transformer } from "../web_types.ts";
import { keepIf } from "./keep_if.ts";
import { type DistinctOptions, KnownKeys, readDistinctOptions } from "./known_keys.ts";
import { thenUse } from "./then_use.ts";

/**
 * Keeps the first chunk of each key.
 *
 * Keys are compared as those of a `Map`, or by `equals`. The number of remembered keys is bounded: one more than `maxKeys` fails the
 * stream or makes it forget the oldest.
 *
 * @typeParam T The type of the chunks.
 * @typeParam Key The type of the keys.
 * @param options Which chunks are the same, and how many keys are remembered.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `key` or `equals` is not a function, `maxKeys` not a number, `atLimit` not one of the two, or an
 * option is unknown.
 * @throws {RangeError} If `maxKeys` is not a positive integer or `Infinity`.
 *
 * @example Each address once
 * ```ts
 * import { distinct, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const links = ["/a", "/b", "/a#top", "/a"];
 * const pages = distinct({ key: (link: string) => link.split("#")[0], maxKeys: 1_000_000 });
 *
 * assert.deepEqual(await toArray(links, pages), ["/a", "/b"]);
 * ```
 */
export function distinct<T, Key = T>(
  options: DistinctOptions<T, Key> = {},
): Transformer<T, T> {
  const plan = readDistinctOptions("create distinct", options);
  return keepIf("distinct", options.key, () => {
    const known = new KnownKeys("tell distinct chunks", plan);
    return (chunk, index, context) =>
      thenUse(plan.key(chunk, index, context), (key) => known.add(key));
  });
}
