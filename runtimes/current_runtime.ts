import process from "node:process";
import { descriptors } from "./descriptors.ts";

/** The name of a runtime, as `--runtime` takes it. */
export type RuntimeName = keyof typeof descriptors;

/** The runtimes hosepipe is built for, in the order its tables show them. */
export const runtimeNames = Object.keys(descriptors) as RuntimeName[];

/** The runtime that executes this very process. */
export interface CurrentRuntime {
  readonly name: RuntimeName;
  readonly version: string;
}

/** Tells which runtime really runs; Deno and Bun also fill `process.versions.node`, so they are asked first. */
export function currentRuntime(): CurrentRuntime {
  const versions = process.versions as Record<string, string | undefined>;
  const name = runtimeNames.find((name) => versions[name] !== undefined)!;
  return { name, version: versions[name]! };
}
