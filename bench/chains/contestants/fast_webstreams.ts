import {
  FastReadableStream,
  FastTransformStream,
  FastWritableStream,
} from "experimental-fast-webstreams";
import type { RunChain } from "../job.ts";
import { toTransformers } from "../to_transformers.ts";

export const fastWebstreams: RunChain = async (job) => {
  let stream: ReadableStream = FastReadableStream.from(job.source());
  for (const transformer of toTransformers(job)) {
    stream = stream.pipeThrough(new FastTransformStream(transformer));
  }
  await stream.pipeTo(new FastWritableStream({ write: (chunk: unknown) => job.write(chunk) }));
};
