import type { Contestant } from "../measure/workload.ts";
import type { RunNativeEnds } from "../native_ends/job.ts";

/** Every contestant of native_marks: what is compared is what the same marks do for each. */
export const contestants: readonly Contestant<RunNativeEnds>[] = [
  {
    name: "hand",
    about: "control: a loop that reads with a reader and writes with a writer",
    load: async () => (await import("../native_ends/contestants/hand.ts")).hand,
  },
  {
    name: "web",
    about: "native: pipeThrough a TransformStream a stage, hand-written, then pipeTo",
    load: async () => (await import("../native_ends/contestants/native.ts")).native,
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over map, from the native source to the native sink",
    load: async () => (await import("../native_ends/contestants/pipeline.ts")).pipeline,
  },
  {
    name: "pipeline-raw",
    about: "hosepipe: the same over the hand-written transformers of web",
    load: async () => (await import("../native_ends/contestants/pipeline_raw.ts")).pipelineRaw,
  },
  {
    name: "fuse",
    about: "hosepipe: pipeThrough(fuse(…)) over map, then pipeTo",
    load: async () => (await import("../native_ends/contestants/fuse.ts")).fuse,
  },
  {
    name: "fuse-raw",
    about: "hosepipe: the same over the hand-written transformers of web",
    load: async () => (await import("../native_ends/contestants/fuse_raw.ts")).fuseRaw,
  },
];
