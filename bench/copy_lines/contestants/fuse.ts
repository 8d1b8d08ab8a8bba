import { compose, fuse as fuseStages } from "../../../mod.ts";
import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { highWaterMark } from "../steps/high_water_mark.ts";
import { toStages } from "../steps/to_stages.ts";

export const fuse: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const steps = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    await ReadableStream.from(readChunks(inputPath))
      .pipeThrough(fuseStages(compose(toStages(steps))))
      .pipeTo(new WritableStream(sink, { highWaterMark }));
  });
  return steps.linesRead();
};
