import process from "node:process";
import { pathToFileURL } from "node:url";
import { CaseRefusal } from "../../measure/case_refusal.ts";
import type { RunOthers, StageWork } from "../job.ts";
import { transformChunk } from "../transform_chunk.ts";

type Batch = Uint8Array[];
type BatchStage = (batch: Batch | null) => Batch | null | Promise<Batch | null>;

interface NewStreams {
  readonly Stream: {
    from(chunks: readonly Uint8Array[]): AsyncIterable<Batch>;
    pull(source: AsyncIterable<Batch>, ...stages: BatchStage[]): AsyncIterable<Batch>;
  };
}

function stageOf(work: StageWork): BatchStage {
  if (work === "pass") return (batch) => batch;
  if (work === "expand") {
    return (batch) => batch === null ? null : batch.flatMap((chunk) => [chunk, chunk]);
  }
  if (work === "async") return (batch) => Promise.resolve(batch);
  const change = transformChunk[work as "copy" | "xor"] as (chunk: Uint8Array) => Uint8Array;
  return (batch) => batch === null ? null : batch.map(change);
}

/** A row on new-streams, as its own benchmarks write it: an array in memory, read in batches. */
export async function loadNewStreams(): Promise<RunOthers> {
  const folder = process.env.HOSEPIPE_NEW_STREAMS;
  if (folder === undefined) {
    throw new CaseRefusal("needs a built checkout of new-streams in HOSEPIPE_NEW_STREAMS");
  }
  const { Stream }: NewStreams = await import(pathToFileURL(`${folder}/dist/index.js`).href);
  return async ({ chunk, chunks, stages, take }) => {
    const source = Stream.from(Array.from({ length: chunks }, () => chunk));
    for await (const batch of Stream.pull(source, ...stages.map(stageOf))) {
      for (const part of batch) take(part);
    }
  };
}
