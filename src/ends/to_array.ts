import { checkInteger } from "../errors.ts";
import { gather, readGatherCall } from "./gather.ts";
import type { Gather } from "./gather_signatures.ts";
import type { ToArrayOptions } from "./gather_types.ts";

/**
 * Runs a job as `pipeline` does, without a sink, and gathers the chunks in an array.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param options Last, and optional: `maxChunks`, the most chunks allowed, one more fails with a `RangeError`
 * and cancels the source (default: `Infinity`); those of every run, such as `signal` and `runName`.
 * @returns All chunks, in order.
 * @throws {TypeError} If source, a stage or an option is of the wrong kind, or a stream is locked.
 * @throws {RangeError} If there are more chunks than `maxChunks`, or that is out of range.
 * @throws Whatever the source or a stage fails with, and the signal's reason.
 *
 * @example Squares
 * ```ts
 * import { map, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(await toArray([1, 2, 3], map((n) => n * n), { maxChunks: 1000 }), [1, 4, 9]);
 * ```
 */
export const toArray: Gather<"toArray"> = runToArray as Gather<"toArray">;

async function runToArray(...args: unknown[]): Promise<unknown[]> {
  const call = readGatherCall<ToArrayOptions>(runToArray, "toArray", ["maxChunks"], args);
  const { maxChunks = Infinity } = call.options;
  checkInteger("run toArray", "maxChunks", maxChunks, 0, true);
  const chunks: unknown[] = [];
  await gather(call, (chunk) => {
    if (chunks.length >= maxChunks) {
      throw new RangeError(`Cannot run toArray: there are more than ${maxChunks} chunks`);
    }
    chunks.push(chunk);
  });
  return chunks;
}
