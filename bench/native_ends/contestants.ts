import type { Contestant } from "../measure/workload.ts";
import type { RunNativeEnds } from "./job.ts";

/** Every contestant of native_ends. */
export const contestants: readonly Contestant<RunNativeEnds>[] = [
  {
    name: "hand",
    about: "control: a loop that reads with a reader and writes with a writer",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "web",
    about: "native: pipeThrough a TransformStream a stage, then pipeTo; with no stage pipeTo alone",
    whyFaster: "with no stage pipeTo stays inside the runtime, where JavaScript sees no chunk; " +
      "pipeline has to read and write each one, as the loop by hand does",
    load: async () => (await import("./contestants/native.ts")).native,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline from the native source to the native sink",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "fuse",
    about: "hosepipe: pipeThrough(fuse(…)), then pipeTo",
    takes: ({ stages }) => Number(stages) > 0,
    load: async () => (await import("./contestants/fuse.ts")).fuse,
  },
];
