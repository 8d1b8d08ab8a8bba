import type { Contestant } from "../measure/workload.ts";
import type { Jobs } from "./job.ts";

/** Every contestant of defaults. */
export const contestants: readonly Contestant<Jobs>[] = [
  {
    name: "hand",
    about: "control: a loop that joins lines into blocks of 64 KiB",
    set: "publish",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "docs",
    about: "hosepipe, as its documentation writes the job",
    set: "publish",
    load: async () => (await import("./contestants/docs.ts")).docs,
  },
  {
    name: "blocks",
    about: "hosepipe with one stage more, encode(), which holds rows until a block is full",
    set: "publish",
    load: async () => (await import("./contestants/blocks.ts")).blocks,
  },
  {
    name: "node",
    about: "node:stream: Readable.from, a Transform, pipeline",
    set: "publish",
    takes: ({ job }) => job !== "body",
    load: async () => (await import("./contestants/node_streams.ts")).nodeStreams,
  },
  {
    name: "stream-chain",
    about: "its gen, pipe and file edge",
    package: "stream-chain",
    set: "publish",
    takes: ({ job }) => job === "file",
    load: async () => (await import("./contestants/stream_chain.ts")).streamChain,
  },
];
