import type { RunChain } from "../job.ts";
import { toTransformers } from "../to_transformers.ts";

export const web: RunChain = async (job) => {
  let stream: ReadableStream = ReadableStream.from(job.source());
  for (const transformer of toTransformers(job)) {
    stream = stream.pipeThrough(new TransformStream(transformer));
  }
  await stream.pipeTo(new WritableStream({ write: (chunk) => job.write(chunk) }));
};
