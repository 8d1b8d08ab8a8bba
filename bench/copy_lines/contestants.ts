import { chainContestants } from "../chains/contestants.ts";
import type { Contestant } from "../measure/workload.ts";
import type { CopyLines } from "./job.ts";
import type { RunChain } from "../chains/job.ts";
import { readAhead } from "../text/read_ahead.ts";
import { splitLines } from "../text/split_lines.ts";
import { withLineSink } from "../text/with_line_sink.ts";
import { createSteps } from "./steps/create_steps.ts";
import { passFunctions } from "../chains/pass_functions.ts";

/** Does the job with a contestant that builds any chain; `one` has all passes be one function. */
function copyByChain(runChain: RunChain, one?: (chunk: string) => string): CopyLines {
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

const pass = (chunk: string) => chunk;

/** From this many passes on these take minutes, and say nothing new. */
const limits: Readonly<Record<string, number>> = { "node-operators": 10, "web-16": 100 };

/** Every contestant of copy_lines: those of its own, and all that build any chain. */
export const contestants: readonly Contestant<CopyLines>[] = [
  {
    name: "hand",
    about: "control: one hand-written loop",
    set: "tour",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "hand-streams",
    about: "control: the same loop between native streams",
    load: async () => (await import("./contestants/hand_streams.ts")).handStreams,
  },
  ...chainContestants.map((entry): Contestant<CopyLines> => ({
    ...entry,
    ...(Object.hasOwn(limits, entry.name)
      ? { takes: ({ passes }) => Number(passes) <= limits[entry.name]! }
      : {}),
    load: async () => copyByChain(await entry.load()),
  })),
  {
    name: "pipeline-lines",
    about: "hosepipe: the same with its own decoder and splitter, lines()",
    set: "publish",
    load: async () => (await import("./contestants/pipeline_lines.ts")).pipelineLines,
  },
  {
    name: "pipeline-one",
    about: "footnote: all do-nothing stages are one function, which an engine inlines",
    set: "publish",
    takes: ({ passes }) => Number(passes) > 0,
    load: async () =>
      copyByChain((await import("../chains/contestants/pipeline.ts")).pipeline, pass),
  },
  {
    name: "std",
    about:
      "web with its own decoder and splitter: TextDecoderStream, TextLineStream of @std/streams",
    package: "deno-std",
    set: "publish",
    load: async () => (await import("./contestants/std.ts")).std,
  },
];
