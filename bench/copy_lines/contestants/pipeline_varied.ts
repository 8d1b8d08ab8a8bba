import { compose, map, pipeline } from "../../../mod.ts";
import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { differentPasses } from "../steps/different_passes.ts";
import { toStages } from "../steps/to_stages.ts";

export const pipelineVaried: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const steps = createSteps(0);
  const varied: Transformer[] = Array.from(
    { length: passes },
    (_, index) => map(differentPasses[index % differentPasses.length]!),
  );
  await withLineSink(outputPath, async (sink) => {
    await pipeline(
      readChunks(inputPath),
      compose(toStages(steps)),
      compose(varied),
      (line: string) => sink.write(line),
    );
  });
  return steps.linesRead();
};
