import {
  FastReadableStream,
  FastTransformStream,
  FastWritableStream,
} from "experimental-fast-webstreams";
import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { highWaterMark } from "../steps/high_water_mark.ts";
import { toTransformer } from "../steps/to_transformer.ts";

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
