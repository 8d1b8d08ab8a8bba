import type { CopyLines } from "../job.ts";
import { handLine } from "../steps/hand_line.ts";
import { passFunctions } from "../../chains/pass_functions.ts";
import { readAhead } from "../../text/read_ahead.ts";
import { splitLines } from "../../text/split_lines.ts";
import { withLineSink } from "../../text/with_line_sink.ts";

export const hand: CopyLines = async ({ inputPath, outputPath, passes }) => {
  let linesRead = 0;
  const functions = passFunctions(passes);
  await withLineSink(outputPath, async (sink) => {
    for await (const lines of splitLines(readAhead(inputPath))) {
      for (const lineRead of lines) {
        linesRead++;
        const line = handLine(lineRead, functions);
        if (line === undefined) continue;
        const written = sink.write(line);
        if (written) await written;
      }
    }
  });
  return linesRead;
};
