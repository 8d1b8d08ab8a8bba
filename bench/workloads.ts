import type { Registry } from "./measure/registry.ts";

/** Every workload of the bench, in the order of its tables; a new one is one line here and one folder. */
export const workloads: Registry = {
  real_work: async () => (await import("./real_work/workload.ts")).realWork,
  copy_lines: async () => (await import("./copy_lines/workload.ts")).copyLines,
  defaults: async () => (await import("./defaults/workload.ts")).defaults,
  short_streams: async () => (await import("./short_streams/workload.ts")).shortStreams,
  small_runs: async () => (await import("./small_runs/workload.ts")).smallRuns,
  async_stages: async () => (await import("./async_stages/workload.ts")).asyncStages,
  http_body: async () => (await import("./http_body/workload.ts")).httpBody,
  joins: async () => (await import("./joins/workload.ts")).joins,
  one_stage: async () => (await import("./one_stage/workload.ts")).oneStage,
  ordered: async () => (await import("./ordered/workload.ts")).ordered,
  formats: async () => (await import("./formats/workload.ts")).formats,
  threads: async () => (await import("./threads/workload.ts")).threads,
  native_ends: async () => (await import("./native_ends/workload.ts")).nativeEnds,
  consume: async () => (await import("./consume/workload.ts")).consume,
  passthrough: async () => (await import("./passthrough/workload.ts")).passthrough,
  files: async () => (await import("./files/workload.ts")).files,
  extract: async () => (await import("./extract/workload.ts")).extract,
  serve_file: async () => (await import("./serve_file/workload.ts")).serveFile,
};
