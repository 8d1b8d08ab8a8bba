import type { Registry } from "../lib/registry.ts";

/** Every workload of the bench; a new one is one line here and one file beside this. */
export const workloads: Registry = {
  concurrency: async () => (await import("./concurrency.ts")).concurrency,
  copy_lines: async () => (await import("./copy_lines.ts")).copyLines,
  memory_to_null: async () => (await import("./memory_to_null.ts")).memoryToNull,
  memory_to_nothing: async () => (await import("./memory_to_nothing.ts")).memoryToNothing,
  passthrough: async () => (await import("./passthrough.ts")).passthrough,
  file_to_null: async () => (await import("./file_to_null.ts")).fileToNull,
  file_to_file: async () => (await import("./file_to_file.ts")).fileToFile,
  allocation: async () => (await import("./allocation.ts")).allocation,
  scheduling: async () => (await import("./scheduling.ts")).scheduling,
  overlap: async () => (await import("./overlap.ts")).overlap,
  turns: async () => (await import("./turns.ts")).turns,
  extract: async () => (await import("./extract.ts")).extract,
  probe_cost: async () => (await import("./probe_cost.ts")).probeCost,
  real_work: async () => (await import("./real_work.ts")).realWork,
  serve_file: async () => (await import("./serve_file.ts")).serveFile,
};
