import pull from "pull-stream";
import { createSteps, type Step } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { pullExpand } from "../steps/pull_expand.ts";
import { pullSource } from "../../peers/pull_source.ts";
import { pullWrite } from "../steps/pull_write.ts";

// The usual companions would not do the job: pull-utf8-decoder keeps the byte-order mark, pull-split takes
// quadratic time for a long line, stream-to-pull-stream forgets an error that comes while nobody reads.
const toThroughs = (step: Step) =>
  step.kind === "expand" ? [pullExpand(step.expander), pull.flatten()] : [pull[step.kind](step.fn)];

export const pullStream: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { all, linesRead } = createSteps(passes);
  await withLineSink(outputPath, (sink) =>
    new Promise<void>((resolve, reject) => {
      const done = pull.onEnd((end: unknown) => end ? reject(end) : resolve());
      pull(
        pullSource(readChunks(inputPath)),
        ...all.flatMap(toThroughs),
        pull.asyncMap(pullWrite(sink)),
        done,
      );
    }));
  return linesRead();
};
