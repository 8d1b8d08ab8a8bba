import type { Contestant } from "../measure/workload.ts";
import type { Params } from "../results/params.ts";
import type { RunOthers } from "./job.ts";
import { type OthersRow, othersRows } from "./rows.ts";

const rowOf = ({ row }: Params): OthersRow => othersRows[row as string]!;
/** Chunks that pass stages from a source to a sink, and nothing that only Web Streams have. */
const isPlain = (params: Params): boolean => {
  const { shape, isBytes = false, stages = [] } = rowOf(params);
  return (shape === "read" || shape === "pipe") && !isBytes && !stages.includes("gzip");
};

/** Every contestant of others. */
export const contestants: readonly Contestant<RunOthers>[] = [
  {
    name: "web",
    about: "the runtime's own Web Streams, default highWaterMarks",
    load: async () => (await import("./contestants/web.ts")).web,
  },
  {
    name: "web-16",
    about: "the same, with a highWaterMark of 16 everywhere",
    takes: (params) => rowOf(params).shape === "pipe" || rowOf(params).stages !== undefined,
    load: async () => (await import("./contestants/web_16.ts")).web16,
  },
  {
    name: "node",
    about: "node:stream",
    takes: (params) => {
      const { shape, isBytes = false } = rowOf(params);
      return shape !== "tee-in-turn" && shape !== "enqueue" && !isBytes;
    },
    load: async () => (await import("./contestants/node.ts")).node,
  },
  {
    name: "stream_iter",
    about: "node:stream/iter, in batches of one, as Node's benchmarks have it",
    runtimes: ["node"],
    nodeFlags: ["--experimental-stream-iter"],
    takes: (params) => isPlain(params) && !rowOf(params).stages?.includes("async"),
    load: async () => (await import("./contestants/stream_iter.ts")).streamIter,
  },
  {
    name: "fast-webstreams",
    about: "experimental-fast-webstreams; for Node only",
    package: "experimental-fast-webstreams",
    runtimes: ["node"],
    load: async () => (await import("./contestants/fast_webstreams.ts")).fastWebstreams,
  },
  {
    name: "new-streams",
    about: "a built checkout of new-streams, named by HOSEPIPE_NEW_STREAMS",
    takes: (params) => rowOf(params).judge === "newStreams",
    load: async () => await (await import("./contestants/new_streams.ts")).loadNewStreams(),
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline, the same ends and hand-written transformers",
    takes: ({ row }) => row !== "vercel-tee-in-turn",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "pipeline-16",
    about: "the same, with a highWaterMark of 16 at both ends",
    takes: (params) => rowOf(params).shape === "pipe",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline16,
  },
  {
    name: "pipeline-own-ends",
    about: "hosepipe: pipeline from a generator to a function, stages by map and flatMap",
    takes: isPlain,
    load: async () => (await import("./contestants/pipeline_own_ends.ts")).pipelineOwnEnds,
  },
];
