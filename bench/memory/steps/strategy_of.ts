import type { MemoryJob } from "../job.ts";

/** The strategy of a job's buffers on web streams; undefined where the stream's own is wanted. */
export function strategyOf(
  { highWaterMark, isObjectMode }: MemoryJob,
): QueuingStrategy<Uint8Array | string> | undefined {
  if (highWaterMark === undefined) return undefined;
  return isObjectMode ? { highWaterMark } : { highWaterMark, size: (chunk) => chunk!.length };
}
