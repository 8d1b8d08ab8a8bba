import type { Registry } from "./measure/registry.ts";

/** Every workload of the bench, in the order of its tables; a new one is one line here and one folder. */
export const workloads: Registry = {
  real_work: async () => (await import("./real_work/workload.ts")).realWork,
  copy_lines: async () => (await import("./copy_lines/workload.ts")).copyLines,
  short_streams: async () => (await import("./short_streams/workload.ts")).shortStreams,
  small_runs: async () => (await import("./small_runs/workload.ts")).smallRuns,
  async_stages: async () => (await import("./async_stages/workload.ts")).asyncStages,
  http_body: async () => (await import("./http_body/workload.ts")).httpBody,
  native_ends: async () => (await import("./native_ends/workload.ts")).nativeEnds,
  consume: async () => (await import("./consume/workload.ts")).consume,
  concurrency: async () => (await import("./concurrency/workload.ts")).concurrency,
  memory_to_null: async () => (await import("./memory/memory_to_null.ts")).memoryToNull,
  memory_to_nothing: async () => (await import("./memory/memory_to_nothing.ts")).memoryToNothing,
  passthrough: async () => (await import("./memory/passthrough.ts")).passthrough,
  file_to_null: async () => (await import("./files/file_to_null.ts")).fileToNull,
  file_to_file: async () => (await import("./files/file_to_file.ts")).fileToFile,
  allocation: async () => (await import("./allocation/workload.ts")).allocation,
  scheduling: async () => (await import("./scheduling/workload.ts")).scheduling,
  overlap: async () => (await import("./overlap/workload.ts")).overlap,
  turns: async () => (await import("./turns/workload.ts")).turns,
  extract: async () => (await import("./extract/workload.ts")).extract,
  extract_far: async () => (await import("./extract_far/workload.ts")).extractFar,
  probe_cost: async () => (await import("./probe_cost/workload.ts")).probeCost,
  serve_file: async () => (await import("./serve_file/workload.ts")).serveFile,
};
