import type { Contestant } from "../measure/workload.ts";
import type { RunJoin } from "./job.ts";

/** Every contestant of joins, each as its own users write it. */
export const contestants: readonly Contestant<RunJoin>[] = [
  {
    name: "hand",
    about: "control: loops beside each other; Promise.all for tuples",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: merge, zip and share, each read by pipeline",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "for-await",
    about: "hosepipe: the same, read by for await",
    load: async () => (await import("./contestants/for_await.ts")).forAwait,
  },
  {
    name: "streaming-iterables",
    about: "streaming-iterables: merge",
    package: "streaming-iterables",
    takes: ({ kind }) => kind === "merge",
    note: "reads its sources one after the other, and waits for each",
    load: async () => (await import("./contestants/streaming_iterables.ts")).streamingIterables,
  },
  {
    name: "ix",
    about: "IxJS: zip",
    package: "ix",
    takes: ({ kind }) => kind === "zip",
    load: async () => (await import("./contestants/ix.ts")).ix,
  },
  {
    name: "web",
    about: "native streams: tee",
    takes: ({ kind }) => kind === "share",
    load: async () => (await import("./contestants/web.ts")).web,
  },
];
