import type { CopyLines } from "./job.ts";
import type { ContestantEntry } from "../measure/workload.ts";

/** A contestant of copy_lines, whose code is loaded only when it is asked for. */
export interface CopyLinesContestant extends ContestantEntry {
  load(): Promise<CopyLines>;
}

/** Every contestant of copy_lines; a new one is one entry here and one file beside this. */
export const contestants: readonly CopyLinesContestant[] = [
  {
    name: "hand",
    about: "one hand-written loop: the limit",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "hand-streams",
    about: "the same loop between native streams: the limit of whoever begins and ends in them",
    load: async () => (await import("./contestants/hand_streams.ts")).handStreams,
  },
  {
    name: "generators",
    about: "a chain of sync generators over each chunk's lines",
    load: async () => (await import("./contestants/generators.ts")).generators,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over lines, map and filter",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "pipeline-varied",
    about: "the same with thirteen different functions among the do-nothing stages, not one",
    load: async () => (await import("./contestants/pipeline_varied.ts")).pipelineVaried,
  },
  {
    name: "pipeline-raw",
    about: "hosepipe: pipeline over hand-written transformers, the ones of `web`",
    load: async () => (await import("./contestants/pipeline_raw.ts")).pipelineRaw,
  },
  {
    name: "fuse",
    about: "hosepipe: fuse over lines, map and filter, between native streams",
    load: async () => (await import("./contestants/fuse.ts")).fuse,
  },
  {
    name: "fuse-batched",
    about: "the same, 64 lines to a chunk at its native end",
    load: async () => (await import("./contestants/fuse_batched.ts")).fuseBatched,
  },
  {
    name: "web",
    about: "one native TransformStream per step, as `new TransformStream(step)` makes it",
    load: async () => (await import("./contestants/web.ts")).web,
  },
  {
    name: "web-16",
    about: "the same, with 16 chunks in each buffer, as node:stream has by default",
    takes: ({ passes }) => Number(passes) <= 100,
    load: async () => (await import("./contestants/web_16.ts")).web16,
  },
  {
    name: "std",
    about: "TextDecoderStream and TextLineStream of @std/streams, then TransformStreams",
    load: async () => (await import("./contestants/std.ts")).std,
  },
  {
    name: "node",
    about: "node:stream Transforms in object mode, 16 chunks in each buffer, and pipeline",
    load: async () => (await import("./contestants/node.ts")).node,
  },
  {
    name: "readable-stream",
    about: "the same on readable-stream 4",
    load: async () => (await import("./contestants/readable_stream.ts")).readableStream,
  },
  {
    name: "through2",
    about: "through2 5, the layer PipeDreams 6 stood on",
    note: "stands in for PipeDreams 6, which can no longer be installed",
    load: async () => (await import("./contestants/through2.ts")).through2,
  },
  {
    name: "pull-stream",
    about: "pull-stream 3",
    note: "of its companions none is both correct and linear here, see the file",
    load: async () => (await import("./contestants/pull_stream.ts")).pullStream,
  },
  {
    name: "fast-webstreams",
    about: "experimental-fast-webstreams, web streams on top of node:stream; made for Node only",
    runtimes: ["node"],
    load: async () => (await import("./contestants/fast_webstreams.ts")).fastWebstreams,
  },
];
