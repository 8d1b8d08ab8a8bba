import type { CopyLines } from "../job.ts";
import { handLine } from "../steps/hand_line.ts";
import { passFunctions } from "../../chains/pass_functions.ts";
import { readAhead } from "../../text/read_ahead.ts";
import { splitLines } from "../../text/split_lines.ts";
import { withLineSink } from "../../text/with_line_sink.ts";

export const handStreams: CopyLines = async ({ inputPath, outputPath, passes }) => {
  let linesRead = 0;
  const functions = passFunctions(passes);
  const batches = splitLines(readAhead(inputPath));
  const pull = async (controller: ReadableStreamDefaultController<string>) => {
    for (let hasGiven = false; !hasGiven;) {
      const { done, value: lines } = await batches.next();
      if (done) return controller.close();
      for (const lineRead of lines) {
        linesRead++;
        const line = handLine(lineRead, functions);
        if (line === undefined) continue;
        controller.enqueue(line);
        hasGiven = true;
      }
    }
  };
  await withLineSink(outputPath, async (sink) => {
    const cancel = () => void batches.return(undefined);
    await new ReadableStream({ pull, cancel }, { highWaterMark: 0 }).pipeTo(
      new WritableStream(sink),
    );
  });
  return linesRead;
};
