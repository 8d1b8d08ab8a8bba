import { chainContestants } from "../chains/contestants.ts";
import type { Contestant } from "../measure/workload.ts";
import type { RunRealWork } from "./job.ts";
import type { RunChain } from "../chains/job.ts";
import { splitLines } from "../text/split_lines.ts";
import { withLineSink } from "../text/with_line_sink.ts";
import { openChunks } from "./open_chunks.ts";
import { createSteps } from "./steps/create_steps.ts";

/** Does the job with a contestant that builds any chain. */
function workByChain(runChain: RunChain): RunRealWork {
  return (job) =>
    withLineSink(job.outputPath, (sink) =>
      runChain({
        source: () => splitLines(openChunks(job)),
        isBatched: true,
        steps: createSteps(job.customers),
        write: (line: string) => sink.write(line),
      }));
}

/** Every contestant of real_work: those of its own, and all that build any chain. */
export const contestants: readonly Contestant<RunRealWork>[] = [
  {
    name: "hand",
    about: "control: one hand-written loop",
    set: "tour",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  ...chainContestants.map((entry): Contestant<RunRealWork> => ({
    ...entry,
    load: async () => workByChain(await entry.load()),
  })),
  {
    name: "stream-iter",
    about: "node:stream/iter: one stage that does all the work on batches of bytes",
    note: "experimental in Node, behind a flag; carries bytes alone, so that one stage does it all",
    set: "publish",
    runtimes: ["node"],
    nodeFlags: ["--experimental-stream-iter"],
    whyFaster: "its one stage is a loop over whole batches, as `hand` is, and passes on bytes only",
    load: async () => (await import("./contestants/stream_iter.ts")).streamIter,
  },
  {
    name: "pipeline-own",
    about: "hosepipe with its own means: parseNdjson, formatNdjson, DecompressionStream, body",
    set: "publish",
    load: async () => (await import("./contestants/pipeline_own.ts")).pipelineOwn,
  },
  {
    name: "web-own",
    about: "web with its own means: DecompressionStream, TextDecoderStream, TextLineStream",
    package: "deno-std",
    set: "publish",
    load: async () => (await import("./contestants/web_own.ts")).webOwn,
  },
  {
    name: "node-own",
    about: "node with its own means: createReadStream, createGunzip, readline",
    set: "publish",
    load: async () => (await import("./contestants/node_own.ts")).nodeOwn,
  },
];
