import { thenUse } from "../stages/then_use.ts";
import { search } from "./search.ts";
import type { Test } from "./test_signatures.ts";
import type { ChunkTest } from "./test_types.ts";

/**
 * Runs a job as `pipeline` does, without a sink, until a chunk comes out that does not pass; then the source is
 * cancelled.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param fn Gets the chunk, its index, counted from 0, and a context with a `signal`; returns whether it passes, or
 * a promise of that.
 * @param options Last, and optional: `concurrency`, how many calls may be in flight at a time (default: 1), and those of
 * every run, such as `signal` and `runName`.
 * @returns Whether all pass; `true` if there is no chunk.
 * @throws {TypeError} If `fn` is not a function, or source, a stage or an option is of the wrong kind, or a stream
 * is locked.
 * @throws {RangeError} If `concurrency` is neither a positive integer nor `Infinity`.
 * @throws Whatever the source, a stage or `fn` fails with before, and the signal's reason.
 *
 * @example All of them
 * ```ts
 * import { every } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(await every([1, 2, 3], (n) => n > 0), true);
 * assert.deepEqual(await every([1, 2, 3], (n) => n > 1), false);
 * ```
 */
export const every: Test<"every"> = runEvery as Test<"every">;

async function runEvery(...args: unknown[]): Promise<boolean> {
  return await search(runEvery, "every", args, true, failing) === undefined;
}

/** A test that what does not pass `fn` passes. */
function failing(fn: ChunkTest<unknown>): ChunkTest<unknown> {
  return (chunk, index, context) => thenUse(fn(chunk, index, context), (passes) => !passes);
}
