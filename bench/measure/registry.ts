import type { Workload } from "./workload.ts";

/** Workloads by name, each loaded only when it is needed. */
export type Registry = Readonly<Record<string, () => Promise<Workload>>>;

/** Loads a registry from the module that exports it as `workloads`; tests bring their own. */
export async function loadRegistry(url: string): Promise<Registry> {
  return (await import(url)).workloads;
}
