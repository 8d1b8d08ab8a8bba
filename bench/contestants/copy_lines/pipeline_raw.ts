import { pipeline } from "../../../mod.ts";
import { createSteps } from "../../copy_lines/steps/create_steps.ts";
import type { CopyLines } from "../../copy_lines/steps/job.ts";
import { readChunks } from "../../copy_lines/steps/read_chunks.ts";
import { withLineSink } from "../../copy_lines/steps/with_line_sink.ts";
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
