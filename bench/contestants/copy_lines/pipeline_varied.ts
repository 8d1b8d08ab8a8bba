import { map, pipeline } from "../../../mod.ts";
import { createSteps } from "../../../src/scenarios/copy_lines/create_steps.ts";
import type { CopyLines } from "../../../src/scenarios/copy_lines/job.ts";
import { readChunks } from "../../../src/scenarios/copy_lines/read_chunks.ts";
import { withLineSink } from "../../../src/scenarios/copy_lines/with_line_sink.ts";
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
