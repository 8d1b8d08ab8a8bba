import type { RunConcurrency } from "../../scenarios/concurrency/job.ts";
import type { ContestantEntry } from "../measure/workload.ts";

/** A contestant of concurrency, whose code is loaded only when it is asked for. */
export interface ConcurrencyContestant extends ContestantEntry {
  load(): Promise<RunConcurrency>;
}

/** Every contestant of concurrency: the two APIs. */
export const contestants: readonly ConcurrencyContestant[] = [
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
