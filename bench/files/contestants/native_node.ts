import { open } from "node:fs/promises";
import type { RunFile } from "../job.ts";
import { withChunkSink } from "../with_chunk_sink.ts";

/** Node reads a file as a web stream; it has none to write one. */
export const nativeNode: RunFile = async (job) => {
  await using file = await open(job.inputPath);
  await withChunkSink(
    job,
    (write) => file.readableWebStream().pipeTo(new WritableStream({ write })),
  );
};
