import stream from "readable-stream";
import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { sinkWritableOptions } from "../steps/sink_writable_options.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { toTransformOptions } from "../steps/to_transform_options.ts";

export const readableStream: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { all, linesRead } = createSteps(passes);
  const transforms = all.map((step) => new stream.Transform(toTransformOptions(step)));
  const source = stream.Readable.from(readChunks(inputPath));
  await withLineSink(outputPath, async (sink) => {
    await stream.promises.pipeline([
      source,
      ...transforms,
      new stream.Writable(sinkWritableOptions(sink)),
    ]);
  });
  return linesRead();
};
