import { createSteps } from "../../../src/scenarios/copy_lines/create_steps.ts";
import type { CopyLines } from "../../../src/scenarios/copy_lines/job.ts";
import { readChunks } from "../../../src/scenarios/copy_lines/read_chunks.ts";
import { withLineSink } from "../../../src/scenarios/copy_lines/with_line_sink.ts";
import { highWaterMark } from "./lib/high_water_mark.ts";
import { toTransformer } from "./lib/to_transformer.ts";

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
