import { gather, readGatherCall } from "./gather.ts";
import type { Gather } from "./gather_signatures.ts";

/**
 * Runs a job as `pipeline` does, without a sink, to its end, and gives the last chunk that came out.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param options Last, and optional: those of every run, such as `signal` and `runName`.
 * @returns The last chunk; `undefined` if there is none.
 * @throws {TypeError} If source, a stage or an option is of the wrong kind, or a stream is locked.
 * @throws Whatever the source or a stage fails with, and the signal's reason.
 *
 * @example A sum
 * ```ts
 * import { last, scan } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(await last([1, 2, 3], scan((sum, n) => sum + n, 0)), 6);
 * ```
 */
export const last: Gather<"last"> = runLast as Gather<"last">;

async function runLast(...args: unknown[]): Promise<unknown> {
  let found: unknown;
  await gather(readGatherCall(runLast, "last", [], args), (chunk) => void (found = chunk));
  return found;
}
