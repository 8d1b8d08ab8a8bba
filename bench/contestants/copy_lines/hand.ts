import type { CopyLines } from "../../../src/scenarios/copy_lines/job.ts";
import { readLines } from "../../../src/scenarios/copy_lines/read_lines.ts";
import * as steps from "../../../src/scenarios/copy_lines/steps.ts";
import { withLineSink } from "../../../src/scenarios/copy_lines/with_line_sink.ts";

export const hand: CopyLines = async ({ inputPath, outputPath, passes }) => {
  let linesRead = 0;
  await withLineSink(outputPath, async (sink) => {
    for await (const lines of readLines(inputPath)) {
      for (const lineRead of lines) {
        linesRead++;
        const line = steps.trim(lineRead);
        if (!steps.isNotEmpty(line) || !steps.isNotComment(line)) continue;
        let result = steps.toLine(steps.toJson(steps.selectFields(steps.splitFields(line))));
        for (let index = 0; index < passes; index++) result = steps.pass(result);
        const written = sink.write(result);
        if (written) await written;
      }
    }
  });
  return linesRead;
};
