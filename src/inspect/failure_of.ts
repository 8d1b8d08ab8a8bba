import type { RunFailure } from "../engine/run_failure.ts";
import { failureRecords } from "../engine/note_failure.ts";

/**
 * Tells where the run has failed that threw a value: which stage, with which chunk. Nothing has to be prepared for it,
 * and what was thrown is left as it is. Of a value that several runs have thrown it knows the first place, and so the
 * inner one where a run was part of another.
 *
 * @param reason What was thrown. Of what is no object nothing is known: see `onFailure` of `pipeline`.
 * @returns The place, or `undefined` if no part of a run has failed with it; that a signal ended a run is none.
 *
 * @example
 * ```ts
 * import { filter, map, pipeline } from "@hosepipe/streams";
 * import { failureOf } from "@hosepipe/streams/inspect";
 * import assert from "node:assert/strict";
 *
 * const parsePrice = (text: string) => JSON.parse(text).price;
 * try {
 *   await pipeline(['{"price":4}', "oops"], map(parsePrice), filter(Boolean), () => {});
 * } catch (error) {
 *   const { stage, name, chunkIndex } = failureOf(error)!;
 *   assert.deepEqual([stage, name, chunkIndex], [1, "map(parsePrice)", 1]);
 * }
 * ```
 */
export function failureOf(reason: unknown): RunFailure | undefined {
  return failureRecords.get(reason as object);
}
