import type { Contestant } from "../measure/workload.ts";
import type { RunProbeCost } from "./job.ts";

/** Every contestant of probe_cost. */
export const contestants: readonly Contestant<RunProbeCost>[] = [
  {
    name: "hand",
    about: "a loop: the limit",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "web",
    about: "source, TransformStream and sink, not looked at",
    load: async () => (await import("./contestants/web.ts")).web,
  },
  {
    name: "probed",
    about: "the same, every stage wrapped by a probe that keeps the last 10,000 events",
    load: async () => (await import("./contestants/probed.ts")).probed,
  },
  {
    name: "counted",
    about: "the same, wrapped by a probe that keeps no events, only counts",
    load: async () => (await import("./contestants/counted.ts")).counted,
  },
];
