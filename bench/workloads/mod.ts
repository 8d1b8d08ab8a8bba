import type { Registry } from "../lib/registry.ts";

/** Every workload of the bench; a new one is one line here and one file beside this. */
export const workloads: Registry = {
  concurrency: async () => (await import("./concurrency.ts")).concurrency,
  copy_lines: async () => (await import("./copy_lines.ts")).copyLines,
};
