import {
  FastReadableStream,
  FastTransformStream,
  FastWritableStream,
} from "experimental-fast-webstreams";
import { createSteps } from "../../copy_lines/steps/create_steps.ts";
import type { CopyLines } from "../../copy_lines/steps/job.ts";
import { readChunks } from "../../copy_lines/steps/read_chunks.ts";
import { withLineSink } from "../../copy_lines/steps/with_line_sink.ts";
import { highWaterMark } from "./lib/high_water_mark.ts";
import { toTransformer } from "./lib/to_transformer.ts";

export const fastWebstreams: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { all, linesRead } = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    let stream: ReadableStream = FastReadableStream.from(readChunks(inputPath));
    for (const step of all) {
      stream = stream.pipeThrough(
        new FastTransformStream(toTransformer(step), { highWaterMark }, { highWaterMark }),
      );
    }
    await stream.pipeTo(new FastWritableStream(sink, { highWaterMark }));
  });
  return linesRead();
};
