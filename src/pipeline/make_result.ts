import type { PipelineResult } from "./pipeline_types.ts";

/** What a run that ends now did, as long as no stage has counted anything. */
export function makeResult(
  chunksRead: number,
  chunksWritten: number,
  startedAtMs: number,
): PipelineResult {
  const elapsedMs = performance.now() - startedAtMs;
  return { chunksRead, chunksWritten, chunksSkipped: 0, chunksRetried: 0, elapsedMs };
}
