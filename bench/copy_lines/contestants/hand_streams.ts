import type { CopyLines } from "../job.ts";
import { readLines } from "../steps/read_lines.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { handLine } from "../steps/hand_line.ts";
import { highWaterMark } from "../steps/high_water_mark.ts";

export const handStreams: CopyLines = async ({ inputPath, outputPath, passes }) => {
  let linesRead = 0;
  const batches = readLines(inputPath);
  const pull = async (controller: ReadableStreamDefaultController<string>) => {
    for (let hasGiven = false; !hasGiven;) {
      const { done, value: lines } = await batches.next();
      if (done) return controller.close();
      for (const lineRead of lines) {
        linesRead++;
        const line = handLine(lineRead, passes);
        if (line === undefined) continue;
        controller.enqueue(line);
        hasGiven = true;
      }
    }
  };
  await withLineSink(outputPath, async (sink) => {
    await new ReadableStream({ pull, cancel: () => void batches.return(undefined) }, {
      highWaterMark: 0,
    })
      .pipeTo(new WritableStream(sink, { highWaterMark }));
  });
  return linesRead;
};
