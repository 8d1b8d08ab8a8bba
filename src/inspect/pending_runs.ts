import type { PendingRun } from "../pipeline/pending_run.ts";
import { listRuns } from "../pipeline/keep_runs.ts";

/**
 * Lists the runs of `pipeline` and of the ends, such as `toArray`, that have not ended, and says which part of each has
 * not answered. Nothing has to be prepared for it.
 *
 * A run that has ended within its call is never listed, and neither are chains of native streams (`fuse`), which are
 * named as the source or the sink of a run. The list keeps no run and no chunk alive.
 *
 * @returns The runs, the one that began first before the others.
 *
 * @example A write that never settles
 * ```ts
 * import { pipeline } from "@hosepipe/streams";
 * import { pendingRuns } from "@hosepipe/streams/inspect";
 * import assert from "node:assert/strict";
 *
 * const { promise, resolve } = Promise.withResolvers<void>();
 * const run = pipeline([1, 2, 3], function save(n) {
 *   return n === 2 ? promise : undefined;
 * });
 * await Promise.resolve();
 *
 * const [{ chunksWritten, waitsFor }] = pendingRuns();
 * assert.deepEqual([chunksWritten, waitsFor[0]!.name], [1, "save"]);
 * assert.deepEqual(waitsFor[0]!.what, "its write 2 has not settled");
 *
 * resolve();
 * await run;
 * assert.deepEqual(pendingRuns(), []);
 * ```
 */
export function pendingRuns(): PendingRun[] {
  return listRuns();
}
