import { checkFunction } from "../errors.ts";

/**
 * Keeps what is made once in each thread, such as a connection or a table: it is made when it is first asked for.
 *
 * @typeParam T The type of what is kept.
 * @param make Makes it; if it throws, the next call tries again.
 * @returns A function that returns what was made.
 * @throws {TypeError} If `make` is not a function.
 *
 * @example A table made once
 * ```ts
 * import { perThread } from "@hosepipe/streams/workers";
 * import assert from "node:assert/strict";
 *
 * let made = 0;
 * const table = perThread(() => new Map([["a", ++made]]));
 *
 * assert.deepEqual([table().get("a"), table().get("a"), made], [1, 1, 1]);
 * ```
 */
export function perThread<T>(make: () => T): () => T {
  checkFunction("create perThread", "make", make);
  let kept: { readonly value: T } | undefined;
  return () => (kept ??= { value: make() }).value;
}
