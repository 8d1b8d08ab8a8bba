import { pipeline as runPipeline } from "../../../mod.ts";
import { createSteps } from "../../copy_lines/steps/create_steps.ts";
import type { CopyLines } from "../../copy_lines/steps/job.ts";
import { readChunks } from "../../copy_lines/steps/read_chunks.ts";
import { withLineSink } from "../../copy_lines/steps/with_line_sink.ts";
import { toStages } from "./lib/to_stages.ts";

export const pipeline: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const steps = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    await runPipeline(
      readChunks(inputPath),
      ...toStages(steps),
      (line: string) => sink.write(line),
    );
  });
  return steps.linesRead();
};
