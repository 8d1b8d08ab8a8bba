import type { Contestant } from "../measure/workload.ts";
import type { RunMemory } from "./job.ts";

/** Why others are faster than ours where they are. */
export const whyFaster: string =
  "`pipeline` checks each chunk: is it a promise, has the sink room, has the event loop waited long enough; and a run of 200 chunks ends before that code is compiled";

/** Every contestant of memory_to_nothing and passthrough. */
export const contestants: readonly Contestant<RunMemory>[] = [
  {
    name: "hand",
    about: "one hand-written loop: the limit",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over an iterator, map and a function",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "fuse",
    about: "hosepipe: fuse over map, between native streams",
    load: async () => (await import("./contestants/fuse.ts")).fuse,
  },
  {
    name: "web",
    about: "native web streams: pipeTo, and a TransformStream per stage",
    load: async () => (await import("./contestants/web.ts")).web,
  },
  {
    name: "web_bytes",
    about: "a native byte stream, read into one buffer of the reader's own (BYOB)",
    note: "copies each chunk into the reader's buffer; has no stages and no writable end",
    takes: ({ stages = 0 }) => stages === 0,
    load: async () => (await import("./contestants/web_bytes.ts")).webBytes,
  },
  {
    name: "node",
    about: "node:stream and its pipeline",
    load: async () => (await import("./contestants/node.ts")).node,
  },
  {
    name: "pull-stream",
    about: "pull-stream 3",
    load: async () => (await import("./contestants/pull_stream.ts")).pullStream,
  },
  {
    name: "fast-webstreams",
    about: "experimental-fast-webstreams, web streams on top of node:stream; made for Node only",
    runtimes: ["node"],
    load: async () => (await import("./contestants/fast_webstreams.ts")).fastWebstreams,
  },
  {
    name: "stream_iter",
    about: "node:stream/iter, which passes on batches of bytes",
    note: "experimental in Node, behind a flag; bytes only",
    runtimes: ["node"],
    nodeFlags: ["--experimental-stream-iter"],
    load: async () => (await import("./contestants/stream_iter.ts")).streamIter,
  },
];
