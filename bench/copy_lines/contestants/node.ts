import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { sinkWritableOptions } from "../steps/sink_writable_options.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { toTransformOptions } from "../steps/to_transform_options.ts";

export const node: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { all, linesRead } = createSteps(passes);
  const transforms = all.map((step) => new Transform(toTransformOptions(step)));
  const source = Readable.from(readChunks(inputPath));
  await withLineSink(outputPath, async (sink) => {
    await pipeline([source, ...transforms, new Writable(sinkWritableOptions(sink))]);
  });
  return linesRead();
};
