import type { Contestant } from "../measure/workload.ts";
import type { RunFlow } from "./job.ts";

/** Every contestant of flows, each as its own users write it. */
export const contestants: readonly Contestant<RunFlow>[] = [
  {
    name: "hand",
    about:
      "control: four loops over one source; one loop for all branches; a bucket in a loop; generators of generators",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: flatMap with concurrency, hub, limitRate, generators as stages",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "streaming-iterables",
    about: "streaming-iterables: flatTransform",
    package: "streaming-iterables",
    takes: ({ kind }) => kind === "inner",
    load: async () => (await import("./contestants/streaming_iterables.ts")).streamingIterables,
  },
  {
    name: "rxjs",
    about: "RxJS: mergeMap, share",
    package: "rxjs",
    takes: ({ kind }) => kind === "inner" || kind === "hub",
    note: "has no backpressure: what is not taken in time is kept",
    load: async () => (await import("./contestants/rxjs.ts")).rxjs,
  },
  {
    name: "effect",
    about: "Effect: flatMap with concurrency, throttle",
    package: "effect",
    takes: ({ kind }) => kind === "inner" || kind === "rate",
    load: async () => (await import("./contestants/effect.ts")).effect,
  },
  {
    name: "p-queue",
    about: "p-queue: a task for each inner source or number, intervalCap",
    package: "p-queue",
    takes: ({ kind }) => kind === "inner" || kind === "rate",
    load: async () => (await import("./contestants/p_queue.ts")).pQueue,
  },
];
