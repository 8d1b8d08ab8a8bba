import { ChainIterator } from "./chain_iterator.ts";
import { gather, readGatherCall } from "./gather.ts";
import type { Gather } from "./gather_signatures.ts";

/**
 * Runs a job as `pipeline` does, without a sink, and gives what comes out as an async iterator, for `for await`.
 *
 * It begins with the first `next()`, and reads no chunk while none is asked for. A loop that is left early ends the run
 * as `take` does: the source is cancelled, and the loop waits for that. A failure rejects the `next()` that comes to it,
 * after all chunks before it; when `signal` aborts, within a turn of the event loop, even if something hangs.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param options Last, and optional: those of every run, such as `signal` and `runName`.
 * @returns An async iterator, for one loop; also for `await using`.
 * @throws {TypeError} If an option is unknown. The first `next()` rejects with one if source, a stage or an option is of
 * the wrong kind, or a stream is locked.
 *
 * @example Rows until one is enough
 * ```ts
 * import { iterate, parseNdjson } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const body = new Blob(['{"id":1}\n{"id":2}\n{"id":3}\n']);
 * const ids: number[] = [];
 * for await (const { id } of iterate(body, parseNdjson<{ id: number }>())) {
 *   ids.push(id);
 *   if (id === 2) break;
 * }
 *
 * assert.deepEqual(ids, [1, 2]);
 * ```
 */
export const iterate: Gather<"iterate"> = iterateChain as Gather<"iterate">;

function iterateChain(...args: unknown[]): ChainIterator {
  const call = readGatherCall(ChainIterator.prototype.next, "iterate", [], args);
  return new ChainIterator((last, take) => {
    // The name by which a run that waits lists its sink.
    const loop = (chunk: unknown) => take(chunk);
    return gather({ ...call, stages: [...call.stages, last] }, loop);
  });
}
