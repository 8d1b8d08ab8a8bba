import type { Contestant } from "../measure/workload.ts";
import type { RunAsync } from "./job.ts";

/** Every contestant of async_stages, each as its own users write it. */
export const contestants: readonly Contestant<RunAsync>[] = [
  {
    name: "hand",
    about: "control: one hand-written loop that awaits what is a promise",
    set: "tour",
    whyFaster:
      "the loop takes one chunk at a time: while it waits for a promise, no other stage works",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over map",
    set: "tour",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "fuse",
    about: "hosepipe: the same stages fused, between native streams",
    set: "publish",
    load: async () => (await import("./contestants/fuse.ts")).fuse,
  },
  {
    name: "async-generators",
    about: "a chain of async generators",
    set: "tour",
    load: async () => (await import("./contestants/async_generators.ts")).asyncGenerators,
  },
  {
    name: "generator-stages",
    about: "hosepipe: pipeline over the same generators, each a stage",
    set: "publish",
    load: async () => (await import("./contestants/generator_stages.ts")).generatorStages,
  },
  {
    name: "streaming-iterables",
    about: "streaming-iterables: map",
    package: "streaming-iterables",
    set: "publish",
    load: async () => (await import("./contestants/streaming_iterables.ts")).streamingIterables,
  },
  {
    name: "stream-chain",
    about: "stream-chain: plain functions, fused by its core form",
    package: "stream-chain",
    set: "publish",
    load: async () => (await import("./contestants/stream_chain.ts")).streamChain,
  },
  {
    name: "rxjs",
    about: "RxJS: from, map, and concatMap where a step answers with a promise",
    package: "rxjs",
    note: "has no backpressure: concatMap keeps what it cannot take yet",
    set: "tour",
    load: async () => (await import("./contestants/rxjs.ts")).rxjs,
  },
  {
    name: "web",
    about: "one native TransformStream a step",
    set: "publish",
    load: async () => (await import("./contestants/web.ts")).web,
  },
];
