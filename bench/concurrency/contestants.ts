import type { RunConcurrency } from "../../scenarios/concurrency/job.ts";
import type { Contestant } from "../measure/workload.ts";

/** Every contestant of concurrency: the two APIs. */
export const contestants: readonly Contestant<RunConcurrency>[] = [
  {
    name: "web",
    about: "Web streams: reader, map, writer; in runs 5.x a sink of its own",
    load: async () => (await import("./contestants/web.ts")).web,
  },
  {
    name: "node",
    about: "node:stream: the same, in runs 5.x the same sink",
    load: async () => (await import("./contestants/node.ts")).node,
  },
];
