import type { RunChain } from "../job.ts";
import { toTransformers } from "../to_transformers.ts";

const strategy = { highWaterMark: 16 };

export const web16: RunChain = async (job) => {
  let stream: ReadableStream = ReadableStream.from(job.source());
  for (const transformer of toTransformers(job)) {
    stream = stream.pipeThrough(new TransformStream(transformer, strategy, strategy));
  }
  await stream.pipeTo(new WritableStream({ write: (chunk) => job.write(chunk) }, strategy));
};
