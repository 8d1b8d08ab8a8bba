import type { CopyLines } from "../job.ts";
import { readLines } from "../steps/read_lines.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { handLine } from "../steps/hand_line.ts";

export const hand: CopyLines = async ({ inputPath, outputPath, passes }) => {
  let linesRead = 0;
  await withLineSink(outputPath, async (sink) => {
    for await (const lines of readLines(inputPath)) {
      for (const lineRead of lines) {
        linesRead++;
        const line = handLine(lineRead, passes);
        if (line === undefined) continue;
        const written = sink.write(line);
        if (written) await written;
      }
    }
  });
  return linesRead;
};
