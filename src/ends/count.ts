import { gather, readGatherCall } from "./gather.ts";
import type { Gather } from "./gather_signatures.ts";

/**
 * Runs a job as `pipeline` does, without a sink, to its end, and counts the chunks that come out.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param options Last, and optional: those of every run, such as `signal` and `runName`.
 * @returns How many there were.
 * @throws {TypeError} If source, a stage or an option is of the wrong kind, or a stream is locked.
 * @throws Whatever the source or a stage fails with, and the signal's reason.
 *
 * @example Lines of a file
 * ```ts
 * import { count, lines } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(await count(new Blob(["one\ntwo\n"]), lines()), 2);
 * ```
 */
export const count: Gather<"count"> = runCount as Gather<"count">;

async function runCount(...args: unknown[]): Promise<number> {
  let chunks = 0;
  await gather(readGatherCall(runCount, "count", [], args), () => void chunks++);
  return chunks;
}
