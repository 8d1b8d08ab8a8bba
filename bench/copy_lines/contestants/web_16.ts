import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { highWaterMark } from "../steps/high_water_mark.ts";
import { toTransformer } from "../steps/to_transformer.ts";

export const web16: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { all, linesRead } = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    let stream: ReadableStream = ReadableStream.from(readChunks(inputPath));
    for (const step of all) {
      stream = stream.pipeThrough(
        new TransformStream(toTransformer(step), { highWaterMark }, { highWaterMark }),
      );
    }
    await stream.pipeTo(new WritableStream(sink, { highWaterMark }));
  });
  return linesRead();
};
