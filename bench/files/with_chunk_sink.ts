import { open } from "node:fs/promises";
import type { FileJob } from "./job.ts";

/** What takes a chunk; a promise is to be waited for. */
export type ChunkSink = (chunk: Uint8Array) => void | Promise<void>;

/** Opens where a job's chunks go, and closes it however `use` ends. */
export async function withChunkSink(
  { outputPath, take }: FileJob,
  use: (sink: ChunkSink) => Promise<unknown>,
): Promise<void> {
  if (outputPath === undefined) {
    await use(take);
    return;
  }
  await using file = await open(outputPath, "w");
  await use((chunk) => file.writeFile(chunk));
}
