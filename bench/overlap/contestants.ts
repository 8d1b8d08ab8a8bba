import type { Contestant } from "../measure/workload.ts";
import type { RunOverlap } from "./job.ts";

/** Every contestant of overlap. */
export const contestants: readonly Contestant<RunOverlap>[] = [
  {
    name: "hand",
    about: "starts on the next chunk while the last is in the second stage: the limit",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over two maps",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "fuse",
    about: "hosepipe: two maps fused, between native streams",
    load: async () => (await import("./contestants/fuse.ts")).fuse,
  },
  {
    name: "web",
    about:
      "the same two maps, each in a native TransformStream with room for 1 chunk on both sides",
    load: async () => (await import("./contestants/web.ts")).web,
  },
];
