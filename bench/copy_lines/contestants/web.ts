import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { toTransformer } from "../steps/to_transformer.ts";

export const web: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { all, linesRead } = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    let stream: ReadableStream = ReadableStream.from(readChunks(inputPath));
    for (const step of all) {
      stream = stream.pipeThrough(new TransformStream(toTransformer(step)));
    }
    await stream.pipeTo(new WritableStream(sink));
  });
  return linesRead();
};
