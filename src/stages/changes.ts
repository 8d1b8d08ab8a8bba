import { checkFunction } from "../errors.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { Transformer } from "../web_types.ts";
import { keepIf } from "./keep_if.ts";
import { thenUse } from "./then_use.ts";

/** Compares as a `Map` does its keys. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || Object.is(a, b);
}

/**
 * Keeps the chunks whose key is another than that of the chunk before, and the first.
 *
 * Keys are compared as those of a `Map`. One key is remembered.
 *
 * @typeParam T The type of the chunks.
 * @typeParam Key The type of the keys.
 * @param key Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; returns what
 * is compared, or a promise of it. Default: the chunk itself.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If `key` is not a function.
 *
 * @example When a state changes
 * ```ts
 * import { changes, toArray } from "@hosepipe/streams";
 * import { assertEquals } from "@std/assert";
 *
 * const states = ["up", "up", "down", "down", "up"];
 *
 * assertEquals(await toArray(states, changes()), ["up", "down", "up"]);
 * ```
 */
export function changes<T, Key = unknown>(
  key: (chunk: T, index: number, context: StageContext) => Key | PromiseLike<Key> = (chunk) =>
    chunk as unknown as Key,
): Transformer<T, T> {
  checkFunction("create changes", "key", key);
  return keepIf("changes", key, () => {
    let hasLast = false;
    let last: unknown;
    return (chunk, index, context) =>
      thenUse<unknown, boolean>(key(chunk as T, index, context), (found) => {
        const isChange = !hasLast || !isSame(found, last);
        hasLast = true;
        last = found;
        return isChange;
      });
  });
}
