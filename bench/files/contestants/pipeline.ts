import { pipeline as runPipeline } from "../../../mod.ts";
import { readChunks } from "../../text/read_chunks.ts";
import type { RunFile } from "../job.ts";
import { withChunkSink } from "../with_chunk_sink.ts";

export const pipeline: RunFile = (job) =>
  withChunkSink(job, (sink) => runPipeline(readChunks(job.inputPath), sink));
