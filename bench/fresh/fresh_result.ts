import type { RuntimeName } from "../../runtimes/current_runtime.ts";

/** What is measured in processes of their own, each of which is measured once. */
export type FreshMeasure = "second-run" | "import" | "idle";

/** Runs whose bytes are counted while they wait. */
export const idleRuns = ["pipeline", "web", "node", "async-generators"] as const;

/** Single streams whose bytes are counted, as Bun's pull request 33193 counts them. */
export const idleStreams = [
  "a ReadableStream",
  "a ReadableStream and its reader",
  "a TransformStream",
  "fuse of one stage",
] as const;

/** What one measure came to, over all its processes. */
export interface FreshRow {
  readonly measure: FreshMeasure;
  readonly runtime: RuntimeName;
  readonly contestant: string;
  /** Of `second-run`, how many stages; otherwise 0. */
  readonly stages: number;
  /** The median of each round: milliseconds of CPU time, or bytes. */
  readonly medians: readonly number[];
}

/** What `bench/results/fresh.json` holds. */
export interface FreshFile {
  readonly processes: number;
  readonly runtimes: Readonly<Record<string, string>>;
  readonly rows: readonly FreshRow[];
}
