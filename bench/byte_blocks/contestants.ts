import type { Contestant } from "../measure/workload.ts";
import type { RunBlocks } from "./job.ts";

/** Every contestant of byte_blocks. */
export const contestants: readonly Contestant<RunBlocks>[] = [
  {
    name: "hand",
    about: "control: blocks of 64 KiB gathered and written by hand",
    load: async () => (await import("./contestants/hand.ts")).hand,
  },
  {
    name: "pipeline",
    about: "hosepipe: formatNdjson, then the platform's encoder and compression",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "pipeline-encode",
    about: "hosepipe: formatNdjson and encode, then the platform's compression",
    load: async () => (await import("./contestants/pipeline_encode.ts")).pipelineEncode,
  },
  {
    name: "web",
    about: "native streams alone: a line is a chunk",
    load: async () => (await import("./contestants/web.ts")).web,
  },
];
