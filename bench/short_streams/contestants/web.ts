import { toTransformers } from "../../chains/to_transformers.ts";
import type { RunShort } from "../job.ts";
import { pullUp } from "../pull_up.ts";
import { drain } from "./drain.ts";

export const web: RunShort = ({ chunks, steps, take }) => {
  let stream: ReadableStream = pullUp(chunks);
  for (const transformer of toTransformers({ isBatched: false, steps })) {
    stream = stream.pipeThrough(new TransformStream(transformer));
  }
  return drain(stream, take);
};
