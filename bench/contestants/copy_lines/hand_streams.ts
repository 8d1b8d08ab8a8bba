import type { CopyLines } from "../../../src/scenarios/copy_lines/job.ts";
import { readLines } from "../../../src/scenarios/copy_lines/read_lines.ts";
import * as steps from "../../../src/scenarios/copy_lines/steps.ts";
import { withLineSink } from "../../../src/scenarios/copy_lines/with_line_sink.ts";
import { highWaterMark } from "./lib/high_water_mark.ts";

export const handStreams: CopyLines = async ({ inputPath, outputPath, passes }) => {
  let linesRead = 0;
  const batches = readLines(inputPath);
  const pull = async (controller: ReadableStreamDefaultController<string>) => {
    for (let hasGiven = false; !hasGiven;) {
      const { done, value: lines } = await batches.next();
      if (done) return controller.close();
      for (const lineRead of lines) {
        linesRead++;
        const line = steps.trim(lineRead);
        if (!steps.isNotEmpty(line) || !steps.isNotComment(line)) continue;
        let result = steps.toLine(steps.toJson(steps.selectFields(steps.splitFields(line))));
        for (let index = 0; index < passes; index++) result = steps.pass(result);
        controller.enqueue(result);
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
