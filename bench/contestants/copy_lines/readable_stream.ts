import stream from "readable-stream";
import { createSteps } from "../../../src/scenarios/copy_lines/create_steps.ts";
import type { CopyLines } from "../../../src/scenarios/copy_lines/job.ts";
import { readChunks } from "../../../src/scenarios/copy_lines/read_chunks.ts";
import { sinkWritableOptions } from "../../../src/scenarios/copy_lines/sink_writable_options.ts";
import { withLineSink } from "../../../src/scenarios/copy_lines/with_line_sink.ts";
import { toTransformOptions } from "./lib/to_transform_options.ts";

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
