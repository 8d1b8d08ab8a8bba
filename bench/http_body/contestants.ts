import type { Contestant } from "../measure/workload.ts";
import type { SendBody } from "./job.ts";

/** Every contestant of http_body, each as its own users write it. */
export const contestants: readonly Contestant<SendBody>[] = [
  {
    name: "hand",
    about: "control: a loop that writes to the response and waits for its drain",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "fuse",
    about: "hosepipe: fuse between a native stream and the response's writable",
    load: async () => (await import("./contestants/fuse.ts")).fuse,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline into the response's writable",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "node",
    about: "node:stream: Transforms in object mode and pipeline",
    whyFaster:
      "Node's response is itself a node stream: no adapter lies between, and a write makes no promise",
    load: async () => (await import("./contestants/node.ts")).node,
  },
  {
    name: "async-generators",
    about: "a chain of async generators, read by node:stream",
    load: async () => (await import("./contestants/async_generators.ts")).asyncGenerators,
  },
  {
    name: "web",
    about: "one native TransformStream a step, and Writable.toWeb",
    load: async () => (await import("./contestants/web.ts")).web,
  },
];
