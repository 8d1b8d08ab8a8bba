import { map, pipeline } from "../../../mod.ts";
import { createSteps } from "../../copy_lines/steps/create_steps.ts";
import type { CopyLines } from "../../copy_lines/steps/job.ts";
import { readChunks } from "../../copy_lines/steps/read_chunks.ts";
import { withLineSink } from "../../copy_lines/steps/with_line_sink.ts";
import { differentPasses } from "./lib/different_passes.ts";
import { toStages } from "./lib/to_stages.ts";

export const pipelineVaried: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const steps = createSteps(0);
  const varied: Transformer[] = Array.from(
    { length: passes },
    (_, index) => map(differentPasses[index % differentPasses.length]!),
  );
  await withLineSink(outputPath, async (sink) => {
    await pipeline(
      readChunks(inputPath),
      ...toStages(steps),
      ...varied,
      (line: string) => sink.write(line),
    );
  });
  return steps.linesRead();
};
