import { take } from "../stages/take.ts";
import { gather, readGatherCall } from "./gather.ts";
import type { Gather } from "./gather_signatures.ts";

/**
 * Runs a job as `pipeline` does, without a sink, until the first chunk comes out; then the source is
 * cancelled.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param options Last, and optional: those of every run, such as `signal` and `runName`.
 * @returns The first chunk; `undefined` if there is none.
 * @throws {TypeError} If source, a stage or an option is of the wrong kind, or a stream is locked.
 * @throws Whatever the source or a stage fails with before, and the signal's reason.
 *
 * @example The first that fits
 * ```ts
 * import { filter, first } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(await first([5, 8, 13, 21], filter((n) => n > 10)), 13);
 * assert.deepEqual(await first([]), undefined);
 * ```
 */
export const first: Gather<"first"> = runFirst as Gather<"first">;

async function runFirst(...args: unknown[]): Promise<unknown> {
  const call = readGatherCall(runFirst, "first", [], args);
  let found: unknown;
  await gather({ ...call, stages: [...call.stages, take(1)] }, (chunk) => void (found = chunk));
  return found;
}
