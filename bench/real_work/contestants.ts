import type { ContestantEntry } from "../measure/workload.ts";
import type { Params } from "../results/params.ts";
import type { RealWorker } from "./job.ts";

/** A contestant of real_work, whose code is loaded only when it is asked for. */
export interface RealWorkContestant extends ContestantEntry {
  load(): Promise<RealWorker>;
}

const isJson = ({ work }: Params) => work === "json";

/** Every contestant of real_work. */
export const contestants: readonly RealWorkContestant[] = [
  {
    name: "hand",
    about: "a hand-written loop; for gzip, node:zlib and everything written at once",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over two maps, or a CompressionStream",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "fuse",
    about: "hosepipe: two maps fused, between native streams",
    takes: isJson,
    load: async () => (await import("./contestants/fuse.ts")).fuse,
  },
  {
    name: "web",
    about: "native web streams: two TransformStreams, or a CompressionStream",
    load: async () => (await import("./contestants/web.ts")).web,
  },
  {
    name: "node",
    about: "node:stream: two Transforms, or node:zlib, and pipeline",
    load: async () => (await import("./contestants/node.ts")).node,
  },
  {
    name: "pull-stream",
    about: "pull-stream 3: two maps",
    takes: isJson,
    load: async () => (await import("./contestants/pull_stream.ts")).pullStream,
  },
];
