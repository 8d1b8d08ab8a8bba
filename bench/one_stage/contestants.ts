import type { Contestant } from "../measure/workload.ts";
import type { RunOneStage } from "./job.ts";

/** Every contestant of one_stage, each as its own users write it. */
export const contestants: readonly Contestant<RunOneStage>[] = [
  {
    name: "hand",
    about: "control: a loop, without a promise",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over the stage",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "it-batch",
    about: "it-batch, read by for of, since the source is an array",
    package: "it-batch",
    takes: ({ job }) => job === "batch",
    load: async () => (await import("./contestants/it_batch.ts")).itBatch,
  },
  {
    name: "most-core",
    about: "@most/core: chain",
    package: "@most/core",
    takes: ({ job }) => job === "flat-map",
    load: async () => (await import("./contestants/most_core.ts")).mostCore,
  },
  {
    name: "stream-chain",
    about: "stream-chain: its batch, many and parser",
    package: "stream-chain",
    takes: ({ job }) => job !== "format-ndjson",
    load: async () => (await import("./contestants/stream_chain.ts")).streamChain,
  },
  {
    name: "split2",
    about: "split2 with JSON.parse, on node:stream",
    package: "split2",
    takes: ({ job }) => job === "parse-ndjson",
    load: async () => (await import("./contestants/split2.ts")).split2,
  },
  {
    name: "bun-jsonl",
    about: "Bun's own JSONL.parseChunk, in a loop",
    runtimes: ["bun"],
    takes: ({ job }) => job === "parse-ndjson",
    load: async () => (await import("./contestants/bun_jsonl.ts")).bunJsonl,
  },
];
