import { fuse as fuseStages } from "../../../mod.ts";
import { createSteps } from "../../../src/scenarios/copy_lines/create_steps.ts";
import type { CopyLines } from "../../../src/scenarios/copy_lines/job.ts";
import { readChunks } from "../../../src/scenarios/copy_lines/read_chunks.ts";
import { withLineSink } from "../../../src/scenarios/copy_lines/with_line_sink.ts";
import { highWaterMark } from "./lib/high_water_mark.ts";
import { toStages } from "./lib/to_stages.ts";

export const fuse: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const steps = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    await ReadableStream.from(readChunks(inputPath))
      .pipeThrough(fuseStages(...toStages(steps)))
      .pipeTo(new WritableStream(sink, { highWaterMark }));
  });
  return steps.linesRead();
};
