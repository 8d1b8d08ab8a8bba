import { pipeline } from "../../../mod.ts";
import { createSteps } from "../../../src/scenarios/copy_lines/create_steps.ts";
import type { CopyLines } from "../../../src/scenarios/copy_lines/job.ts";
import { readChunks } from "../../../src/scenarios/copy_lines/read_chunks.ts";
import { withLineSink } from "../../../src/scenarios/copy_lines/with_line_sink.ts";
import { toTransformer } from "./lib/to_transformer.ts";

export const pipelineRaw: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { all, linesRead } = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    await pipeline(
      readChunks(inputPath),
      ...all.map(toTransformer),
      (line: string) => sink.write(line),
    );
  });
  return linesRead();
};
