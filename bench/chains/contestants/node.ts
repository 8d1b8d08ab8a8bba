import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RunChain } from "../job.ts";
import { sinkWritableOptions } from "../sink_writable_options.ts";
import { toTransformOptions } from "../to_transform_options.ts";

export const node: RunChain = async (job) => {
  const transforms = toTransformOptions(job).map((options) => new Transform(options));
  const sink = new Writable(sinkWritableOptions(job));
  await pipeline([Readable.from(job.source()), ...transforms, sink]);
};
