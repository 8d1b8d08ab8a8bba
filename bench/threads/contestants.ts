import type { Contestant } from "../measure/workload.ts";
import type { RunThreads } from "./job.ts";

const batches = "two batches a thread in flight, made by hand, results in order";

/** Every contestant of threads. */
export const contestants: readonly Contestant<RunThreads>[] = [
  {
    name: "hand",
    about: "control: a loop, in one thread",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: the stages in one thread",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "in-workers",
    about: "hosepipe: the stages in threads, by inWorkers",
    load: async () => (await import("./contestants/in_workers.ts")).inWorkers,
  },
  {
    name: "piscina",
    about: `piscina: ${batches}`,
    package: "piscina",
    load: async () => (await import("./contestants/piscina.ts")).piscina,
  },
  {
    name: "tinypool",
    about: `tinypool: ${batches}`,
    package: "tinypool",
    load: async () => (await import("./contestants/tinypool.ts")).tinypool,
  },
  {
    name: "workerpool",
    about: `workerpool: ${batches}`,
    package: "workerpool",
    note: "its threads do not answer in Bun",
    runtimes: ["deno", "node"],
    load: async () => (await import("./contestants/workerpool.ts")).workerpool,
  },
  {
    name: "comlink",
    about: `comlink: ${batches}, threads in turn`,
    package: "comlink",
    load: async () => (await import("./contestants/comlink.ts")).comlink,
  },
  {
    name: "transferred",
    about: "Web Streams handed over to threads, chunks in turn: each is a message",
    note: "Bun hands over no streams",
    runtimes: ["deno", "node"],
    load: async () => (await import("./contestants/transferred.ts")).transferred,
  },
];
