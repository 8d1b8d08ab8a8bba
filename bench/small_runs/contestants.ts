import type { Contestant } from "../measure/workload.ts";
import type { RunSmall } from "./job.ts";

/** Every contestant of small_runs, each as its own users write it. */
export const contestants: readonly Contestant<RunSmall>[] = [
  {
    name: "hand",
    about: "control: one hand-written loop",
    set: "tour",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over map and filter",
    set: "tour",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "to-array",
    about: "hosepipe: toArray over the same",
    set: "publish",
    load: async () => (await import("./contestants/to_array.ts")).toArray,
  },
  {
    name: "generators",
    about: "a chain of sync generators",
    set: "publish",
    whyFaster:
      "sync generators cannot wait: they never check whether a chunk is a promise, and never give the event loop a turn",
    load: async () => (await import("./contestants/generators.ts")).generators,
  },
  {
    name: "async-generators",
    about: "a chain of async generators",
    set: "tour",
    load: async () => (await import("./contestants/async_generators.ts")).asyncGenerators,
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
    about: "RxJS: from, map, filter and tap",
    package: "rxjs",
    note: "has no backpressure",
    set: "tour",
    whyFaster:
      "RxJS pushes: it checks neither whether a chunk is a promise nor how long the event loop has waited",
    load: async () => (await import("./contestants/rxjs.ts")).rxjs,
  },
  {
    name: "web",
    about: "one native TransformStream a step",
    set: "publish",
    load: async () => (await import("./contestants/web.ts")).web,
  },
];
