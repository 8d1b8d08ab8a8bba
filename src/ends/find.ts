import { search } from "./search.ts";
import type { Test } from "./test_signatures.ts";

/**
 * Runs a job as `pipeline` does, without a sink, until a chunk comes out that passes; then the source is
 * cancelled.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param fn Gets the chunk, its index, counted from 0, and a context with a `signal`; returns whether it passes, or
 * a promise of that.
 * @param options Last, and optional: `concurrency`, how many calls may be in flight at a time (default: 1), and those of
 * every run, such as `signal` and `runName`.
 * @returns The first chunk that passes; `undefined` if there is none.
 * @throws {TypeError} If `fn` is not a function, or source, a stage or an option is of the wrong kind, or a stream
 * is locked.
 * @throws {RangeError} If `concurrency` is neither a positive integer nor `Infinity`.
 * @throws Whatever the source, a stage or `fn` fails with before, and the signal's reason.
 *
 * @example The first that fits
 * ```ts
 * import { find } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(await find([5, 8, 13, 21], (n) => n > 10), 13);
 * assert.deepEqual(await find([5], (n) => n > 10), undefined);
 * ```
 */
export const find: Test<"find"> = runFind as Test<"find">;

async function runFind(...args: unknown[]): Promise<unknown> {
  return (await search(runFind, "find", args, false))?.chunk;
}
