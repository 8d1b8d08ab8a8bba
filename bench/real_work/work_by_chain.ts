import type { RunChain } from "../chains/job.ts";
import { splitLines } from "../text/split_lines.ts";
import { withLineSink } from "../text/with_line_sink.ts";
import type { RunRealWork } from "./job.ts";
import { openChunks } from "./open_chunks.ts";
import { createSteps } from "./steps/create_steps.ts";

/** Does the job with a contestant that builds any chain. */
export function workByChain(runChain: RunChain): RunRealWork {
  return (job) =>
    withLineSink(job.outputPath, (sink) =>
      runChain({
        source: () => splitLines(openChunks(job)),
        isBatched: true,
        steps: createSteps(job.customers),
        write: (line: string) => sink.write(line),
      }));
}
