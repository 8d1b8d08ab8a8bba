import process from "node:process";

/** The runtimes hosepipe is built for, in the order its tables show them. */
export const runtimeNames = ["deno", "bun", "node"] as const;

/** The name of a runtime, as `--runtime` takes it. */
export type RuntimeName = (typeof runtimeNames)[number];

/** The runtime that executes this very process. */
export interface CurrentRuntime {
  readonly name: RuntimeName;
  readonly version: string;
}

/** Tells which runtime really runs; Deno and Bun also fill `process.versions.node`, so they are asked first. */
export function currentRuntime(): CurrentRuntime {
  const { deno, bun, node } = process.versions as Record<string, string | undefined>;
  if (deno !== undefined) return { name: "deno", version: deno };
  if (bun !== undefined) return { name: "bun", version: bun };
  return { name: "node", version: node! };
}
