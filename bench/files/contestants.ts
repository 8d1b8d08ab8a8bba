import type { Contestant } from "../measure/workload.ts";
import type { RunFile } from "./job.ts";

/** Every contestant of file_to_null and file_to_file. */
export const contestants: readonly Contestant<RunFile>[] = [
  {
    name: "hand",
    about: "reads and writes with one buffer of 64 KiB, one after the other",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over chunks of 64 KiB, each in its own memory",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "native",
    about: "the runtime's own: Deno.open, Bun.file, Node's readableWebStream",
    note: "Node has no web stream that writes a file: its handle is written to",
    load: async () => (await import("./contestants/native.ts")).native,
  },
  {
    name: "node",
    about: "createReadStream, createWriteStream and pipeline of node:stream",
    load: async () => (await import("./contestants/node.ts")).node,
  },
  {
    name: "stream_iter",
    about: "pull and writer of Node's file handles, by node:stream/iter",
    note: "experimental in Node, behind a flag",
    runtimes: ["node"],
    nodeFlags: ["--experimental-stream-iter"],
    load: async () => (await import("./contestants/stream_iter.ts")).streamIter,
  },
];
