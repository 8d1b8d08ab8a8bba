import { compose, lines, pipeline } from "../../../mod.ts";
import { toStages } from "../../chains/to_stages.ts";
import { readAhead } from "../../text/read_ahead.ts";
import { withLineSink } from "../../text/with_line_sink.ts";
import type { CopyLines } from "../job.ts";
import { createSteps } from "../steps/create_steps.ts";
import { passFunctions } from "../../chains/pass_functions.ts";

export const pipelineLines: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { steps, linesRead } = createSteps(passFunctions(passes));
  await withLineSink(outputPath, async (sink) => {
    await pipeline(
      readAhead(inputPath),
      lines(),
      compose(toStages({ isBatched: false, steps })),
      (line: string) => sink.write(line),
    );
  });
  return linesRead();
};
