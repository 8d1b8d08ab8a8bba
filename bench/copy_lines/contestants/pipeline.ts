import { compose, pipeline as runPipeline } from "../../../mod.ts";
import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { toStages } from "../steps/to_stages.ts";

export const pipeline: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const steps = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    await runPipeline(
      readChunks(inputPath),
      compose(toStages(steps)),
      (line: string) => sink.write(line),
    );
  });
  return steps.linesRead();
};
