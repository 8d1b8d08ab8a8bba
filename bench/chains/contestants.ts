import type { Contestant } from "../measure/workload.ts";
import type { RunChain } from "./job.ts";

const itPushes: string =
  "a library that pushes never checks whether a chunk is a promise, and does not wait for a busy sink";
const isThereAtOnce: string =
  "sync iteration never waits: no chunk is checked for a promise, and no stage may return one";

/** Every contestant that builds any chain, each as its own users write it; a new one is one entry and one file. */
export const chainContestants: readonly Contestant<RunChain>[] = [
  {
    name: "step-list",
    about: "control: one loop over a list of the step functions",
    set: "publish",
    load: async () => (await import("./contestants/step_list.ts")).stepList,
  },
  {
    name: "arrays",
    about: "control: everything read first, then array.map and array.filter",
    note: "holds everything in memory, several times over",
    set: "tour",
    load: async () => (await import("./contestants/arrays.ts")).arrays,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over flatMap, map and filter",
    set: "tour",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "pipeline-raw",
    about: "hosepipe: pipeline over the hand-written transformers of `web`",
    set: "publish",
    load: async () => (await import("./contestants/pipeline_raw.ts")).pipelineRaw,
  },
  {
    name: "fuse",
    about: "hosepipe: the same stages fused, between native streams",
    set: "tour",
    load: async () => (await import("./contestants/fuse.ts")).fuse,
  },
  {
    name: "fuse-batched",
    about: "the same, 64 chunks at a time at its native end",
    load: async () => (await import("./contestants/fuse_batched.ts")).fuseBatched,
  },
  {
    name: "web",
    about: "one native TransformStream a step, as `new TransformStream(step)` makes it",
    set: "tour",
    load: async () => (await import("./contestants/web.ts")).web,
  },
  {
    name: "web-16",
    about: "the same at its best: 16 chunks in each buffer, as node:stream has by default",
    set: "publish",
    load: async () => (await import("./contestants/web_16.ts")).web16,
  },
  {
    name: "node",
    about: "node:stream: Transforms in object mode and pipeline",
    set: "tour",
    whyFaster:
      "in Bun and Deno the first stages of node:stream are cheap, and no chunk is checked for a promise; each further stage costs more",
    load: async () => (await import("./contestants/node.ts")).node,
  },
  {
    name: "node-operators",
    about: "node:stream: Readable.flatMap, map, filter and forEach",
    set: "publish",
    load: async () => (await import("./contestants/node_operators.ts")).nodeOperators,
  },
  {
    name: "generators",
    about: "a chain of sync generators over each chunk that is read",
    whyFaster: isThereAtOnce,
    load: async () => (await import("./contestants/generators.ts")).generators,
  },
  {
    name: "async-generators",
    about: "a chain of async generators",
    set: "tour",
    load: async () => (await import("./contestants/async_generators.ts")).asyncGenerators,
  },
  {
    name: "iterator-helpers",
    about: "Iterator.map and filter over each chunk that is read",
    set: "publish",
    whyFaster: isThereAtOnce,
    load: async () => (await import("./contestants/iterator_helpers.ts")).iteratorHelpers,
  },
  {
    name: "rxjs",
    about: "RxJS: from, concatMap, map and filter",
    package: "rxjs",
    note: "has no backpressure: reads on while the sink is busy, and keeps what it read",
    set: "tour",
    whyFaster: itPushes,
    load: async () => (await import("./contestants/rxjs.ts")).rxjs,
  },
  {
    name: "rxjs-9",
    about: "RxJS 9 beta on the platform's Observable, or its polyfill",
    package: "rxjs-9",
    note: "has no backpressure: the source is read as fast as it gives",
    set: "publish",
    load: async () => (await import("./contestants/rxjs_9.ts")).rxjs9,
  },
  {
    name: "effect",
    about: "Effect's Stream: flattenIterable, map, filter and runForEachArray",
    package: "effect",
    set: "tour",
    whyFaster:
      "Effect passes arrays from stage to stage, so that a map is one loop over many chunks; a chunk that waits costs it more",
    load: async () => (await import("./contestants/effect.ts")).effect,
  },
  {
    name: "most-core",
    about: "@most/core: map, filter and runEffects",
    package: "@most/core",
    note: "has no backpressure: the source pushes, and writes what came out before it reads on",
    set: "tour",
    whyFaster: itPushes,
    load: async () => (await import("./contestants/most_core.ts")).mostCore,
  },
  {
    name: "stream-chain",
    about: "stream-chain: plain functions, fused by its core form",
    package: "stream-chain",
    set: "tour",
    load: async () => (await import("./contestants/stream_chain.ts")).streamChain,
  },
  {
    name: "datastream",
    about: "@datastream/core: its web form, a native stream a step",
    package: "@datastream/core",
    set: "publish",
    load: async () => (await import("./contestants/datastream.ts")).datastream,
  },
  {
    name: "streamx",
    about: "streamx: Transforms and pipelinePromise",
    package: "streamx",
    set: "publish",
    load: async () => (await import("./contestants/streamx.ts")).streamx,
  },
  {
    name: "pull-stream",
    about: "pull-stream: map, filter and asyncMap",
    package: "pull-stream",
    set: "publish",
    whyFaster:
      "a stage of pull-stream is one call there and back, and it sets up less; it never gives the event loop a turn",
    load: async () => (await import("./contestants/pull_stream.ts")).pullStream,
  },
  {
    name: "readable-stream",
    about: "readable-stream: node:stream as a package",
    package: "readable-stream",
    load: async () => (await import("./contestants/readable_stream.ts")).readableStream,
  },
  {
    name: "through2",
    about: "through2, the layer PipeDreams 6 stood on",
    package: "through2",
    note: "stands in for PipeDreams 6, which can no longer be installed",
    load: async () => (await import("./contestants/through2.ts")).through2,
  },
  {
    name: "fast-webstreams",
    about: "experimental-fast-webstreams, web streams on node:stream; for Node only",
    package: "experimental-fast-webstreams",
    runtimes: ["node"],
    load: async () => (await import("./contestants/fast_webstreams.ts")).fastWebstreams,
  },
  {
    name: "highland",
    about: "highland: sequence, map, filter and consume",
    package: "highland",
    set: "full",
    load: async () => (await import("./contestants/highland.ts")).highland,
  },
  {
    name: "it-pipe",
    about: "it-pipe with it-map and it-filter",
    package: "it-pipe",
    set: "full",
    load: async () => (await import("./contestants/it_pipe.ts")).itPipe,
  },
  {
    name: "streaming-iterables",
    about: "streaming-iterables: flatMap, map and filter",
    package: "streaming-iterables",
    set: "full",
    load: async () => (await import("./contestants/streaming_iterables.ts")).streamingIterables,
  },
  {
    name: "ix",
    about: "IxJS: concatMap, map and filter of async iterables",
    package: "ix",
    set: "full",
    load: async () => (await import("./contestants/ix.ts")).ix,
  },
  {
    name: "callbag",
    about: "callbag-basics: fromObs, map, filter and forEach",
    package: "callbag-basics",
    note: "has no backpressure: the source pushes, and writes what came out before it reads on",
    set: "full",
    whyFaster: itPushes,
    load: async () => (await import("./contestants/callbag.ts")).callbag,
  },
];
