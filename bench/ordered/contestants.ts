import type { Contestant } from "../measure/workload.ts";
import type { RunOrdered } from "./job.ts";

/** Every contestant of ordered, each as its own users write it. */
export const contestants: readonly Contestant<RunOrdered>[] = [
  {
    name: "hand",
    about: "control: promises in an array, begun as the oldest is taken",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over parallel",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "p-map",
    about: "p-map: pMapIterable, its backpressure as long as our window",
    package: "p-map",
    load: async () => (await import("./contestants/p_map.ts")).pMap,
  },
];
