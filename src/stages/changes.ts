import type { StageContext } from "../kernels/stage_context.ts";
import { callback, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import { keepIf } from "./keep_if.ts";
import { thenUse } from "./then_use.ts";

/** Which chunks are the same. */
export interface ChangesOptions<T = unknown, Key = unknown> {
  /**
   * Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; returns what is compared,
   * or a promise of it. Default: the chunk itself.
   */
  key?: ((chunk: T, index: number, context: StageContext) => Key | PromiseLike<Key>) | undefined;
  /**
   * Gets the key of the last chunk that was kept and that of this one; returns whether they are the same. Default: as
   * those of a `Map`.
   */
  equals?: ((last: Key, now: Key) => boolean) | undefined;
}

/** Compares as a `Map` does its keys. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || Object.is(a, b);
}

/**
 * Keeps the chunks whose key is another than that of the chunk before, and the first.
 *
 * Keys are compared as those of a `Map`, or by `equals`. One key is remembered.
 *
 * @typeParam T The type of the chunks.
 * @typeParam Key The type of the keys.
 * @param keyOrOptions A function that gets the chunk, its index, counted from 0 in each stream, and a context with a
 * `signal`, and returns what is compared, or a promise of it (default: the chunk itself); or that and a comparer.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `key` or `equals` is not a function, or an option is unknown.
 *
 * @example When a state changes
 * ```ts
 * import { changes, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const states = ["up", "up", "down", "down", "up"];
 *
 * assert.deepEqual(await toArray(states, changes()), ["up", "down", "up"]);
 * ```
 *
 * @example By more than one
 * ```ts
 * import { changes, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const isNear = (last: number, now: number) => Math.abs(now - last) <= 1;
 * assert.deepEqual(await toArray([1, 2, 3, 3, 9], changes({ equals: isNear })), [1, 3, 9]);
 * ```
 */
export function changes<T, Key = T>(
  keyOrOptions:
    | ((chunk: T, index: number, context: StageContext) => Key | PromiseLike<Key>)
    | ChangesOptions<T, Key> = {},
): Transformer<T, T> {
  const action = "create changes";
  const options = typeof keyOrOptions === "object" ? keyOrOptions : { key: keyOrOptions };
  const { key, equals } = readOptions(action, options, {
    key: callback((chunk: T) => chunk),
    equals: callback(isSame),
  });
  return keepIf("changes", options.key ?? options.equals, () => {
    let hasLast = false;
    let last: Key;
    return (chunk, index, context) =>
      thenUse<Key, boolean>(key(chunk as T, index, context), (found) => {
        if (hasLast && equals(last, found)) return false;
        hasLast = true;
        last = found;
        return true;
      });
  });
}
