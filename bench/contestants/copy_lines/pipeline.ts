import { pipeline as runPipeline } from "../../../mod.ts";
import { createSteps } from "../../../src/scenarios/copy_lines/create_steps.ts";
import type { CopyLines } from "../../../src/scenarios/copy_lines/job.ts";
import { readChunks } from "../../../src/scenarios/copy_lines/read_chunks.ts";
import { withLineSink } from "../../../src/scenarios/copy_lines/with_line_sink.ts";
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
