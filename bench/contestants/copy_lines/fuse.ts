import { fuse as fuseStages } from "../../../mod.ts";
import { createSteps } from "../../copy_lines/steps/create_steps.ts";
import type { CopyLines } from "../../copy_lines/steps/job.ts";
import { readChunks } from "../../copy_lines/steps/read_chunks.ts";
import { withLineSink } from "../../copy_lines/steps/with_line_sink.ts";
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
