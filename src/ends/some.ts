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
 * @returns Whether any passes; `false` if there is no chunk.
 * @throws {TypeError} If `fn` is not a function, or source, a stage or an option is of the wrong kind, or a stream
 * is locked.
 * @throws {RangeError} If `concurrency` is neither a positive integer nor `Infinity`.
 * @throws Whatever the source, a stage or `fn` fails with before, and the signal's reason.
 *
 * @example Any of them
 * ```ts
 * import { some } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(await some([1, 2, 3], (n) => n > 2), true);
 * assert.deepEqual(await some([], () => true), false);
 * ```
 */
export const some: Test<"some"> = runSome as Test<"some">;

async function runSome(...args: unknown[]): Promise<boolean> {
  return await search(runSome, "some", args, true) !== undefined;
}
