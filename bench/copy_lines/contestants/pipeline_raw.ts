import { compose, pipeline } from "../../../mod.ts";
import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { toTransformer } from "../steps/to_transformer.ts";

export const pipelineRaw: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { all, linesRead } = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    await pipeline(
      readChunks(inputPath),
      compose(all.map(toTransformer)),
      (line: string) => sink.write(line),
    );
  });
  return linesRead();
};
