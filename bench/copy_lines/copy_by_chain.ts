import type { RunChain } from "../chains/job.ts";
import { readAhead } from "../text/read_ahead.ts";
import { splitLines } from "../text/split_lines.ts";
import { withLineSink } from "../text/with_line_sink.ts";
import type { CopyLines } from "./job.ts";
import { createSteps } from "./steps/create_steps.ts";
import { passFunctions } from "../chains/pass_functions.ts";

/** Does the job with a contestant that builds any chain; `one` has all passes be one function. */
export function copyByChain(runChain: RunChain, one?: (chunk: string) => string): CopyLines {
  return async ({ inputPath, outputPath, passes }) => {
    const functions = one === undefined ? passFunctions(passes) : Array(passes).fill(one);
    const { steps, linesRead } = createSteps(functions);
    await withLineSink(outputPath, (sink) =>
      runChain({
        source: () => splitLines(readAhead(inputPath)),
        isBatched: true,
        steps,
        write: (line: string) => sink.write(line),
      }));
    return linesRead();
  };
}
