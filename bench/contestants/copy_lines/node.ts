import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createSteps } from "../../copy_lines/steps/create_steps.ts";
import type { CopyLines } from "../../copy_lines/steps/job.ts";
import { readChunks } from "../../copy_lines/steps/read_chunks.ts";
import { sinkWritableOptions } from "../../copy_lines/steps/sink_writable_options.ts";
import { withLineSink } from "../../copy_lines/steps/with_line_sink.ts";
import { toTransformOptions } from "./lib/to_transform_options.ts";

export const node: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { all, linesRead } = createSteps(passes);
  const transforms = all.map((step) => new Transform(toTransformOptions(step)));
  const source = Readable.from(readChunks(inputPath));
  await withLineSink(outputPath, async (sink) => {
    await pipeline([source, ...transforms, new Writable(sinkWritableOptions(sink))]);
  });
  return linesRead();
};
