import stream from "readable-stream";
import { objectTransform } from "through2";
import type { RunChain } from "../job.ts";
import { sinkWritableOptions } from "../sink_writable_options.ts";
import { toTransformOptions } from "../to_transform_options.ts";

export const through2: RunChain = async (job) => {
  const transforms = toTransformOptions(job).map(({ transform }) => objectTransform({}, transform));
  const sink = new stream.Writable(sinkWritableOptions(job));
  await stream.promises.pipeline([stream.Readable.from(job.source()), ...transforms, sink]);
};
