import { splitLines } from "../../text/split_lines.ts";
import { withLineSink } from "../../text/with_line_sink.ts";
import type { RunRealWork } from "../job.ts";
import { openChunks } from "../open_chunks.ts";
import { enrichOrder, isOrder, parseEvent, projectOrder, toJsonLine } from "../steps/steps.ts";

export const hand: RunRealWork = (job) =>
  withLineSink(job.outputPath, async (sink) => {
    for await (const lines of splitLines(openChunks(job))) {
      for (const line of lines) {
        const event = parseEvent(line);
        if (!isOrder(event)) continue;
        const written = sink.write(toJsonLine(enrichOrder(projectOrder(event), job.customers)));
        if (written) await written;
      }
    }
  });
