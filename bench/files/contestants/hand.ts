import { open } from "node:fs/promises";
import { chunkSize } from "../../text/read_chunks.ts";
import type { RunFile } from "../job.ts";
import { withChunkSink } from "../with_chunk_sink.ts";

export const hand: RunFile = async (job) => {
  await using file = await open(job.inputPath);
  await withChunkSink(job, async (sink) => {
    const buffer = new Uint8Array(chunkSize);
    while (true) {
      const { bytesRead } = await file.read(buffer, 0, chunkSize);
      if (bytesRead === 0) return;
      await sink(buffer.subarray(0, bytesRead));
    }
  });
};
