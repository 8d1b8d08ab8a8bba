import stream from "readable-stream";
import type { RunChain } from "../job.ts";
import { sinkWritableOptions } from "../sink_writable_options.ts";
import { toTransformOptions } from "../to_transform_options.ts";

export const readableStream: RunChain = async (job) => {
  const transforms = toTransformOptions(job).map((options) => new stream.Transform(options));
  const sink = new stream.Writable(sinkWritableOptions(job));
  await stream.promises.pipeline([stream.Readable.from(job.source()), ...transforms, sink]);
};
