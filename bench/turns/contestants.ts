import type { Contestant } from "../measure/workload.ts";
import type { RunTurns } from "./job.ts";

/** Every contestant of turns: what makes it hard to give the event loop its turn in time. */
export const contestants: readonly Contestant<RunTurns>[] = [
  {
    name: "pipeline_cheap",
    about: "hosepipe: pipeline over three maps that do nothing",
    load: async () => (await import("./contestants/pipeline_cheap.ts")).pipelineCheap,
  },
  {
    name: "pipeline_expensive",
    about: "hosepipe: pipeline over a map that works 1 ms a chunk",
    load: async () => (await import("./contestants/pipeline_expensive.ts")).pipelineExpensive,
  },
  {
    name: "pipeline_expanding",
    about: "hosepipe: pipeline over a flatMap that makes 100,000 chunks of one",
    load: async () => (await import("./contestants/pipeline_expanding.ts")).pipelineExpanding,
  },
];
