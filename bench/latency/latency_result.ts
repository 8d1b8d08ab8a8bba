import type { RuntimeName } from "../../runtimes/current_runtime.ts";

/** Who is measured; the names are those of `bench/chains`. */
export const latencyContestants = [
  "pipeline",
  "web",
  "web-16",
  "node",
  "async-generators",
  "streaming-iterables",
  "rxjs",
  "effect",
] as const;

/** Parts of the highest rate at which chunks come. */
export const loads = [0.1, 0.5, 0.9] as const;

/** How many stages the cost of a chunk is measured with. */
export const stageCounts = [1, 10, 100, 1_000, 10_000] as const;

/** What two processes found of one contestant. */
export interface LatencyRound {
  readonly waits: {
    /** From the first call in a process to the first chunk at the sink. */
    readonly firstChunkMs: number;
    readonly highestPerSecond: number;
    /** For each of `loads`, from when a chunk is due to when the sink has it. */
    readonly p50Ms: readonly number[];
    readonly p99Ms: readonly number[];
  };
  readonly costs: {
    /** Bytes of the heap a chunk makes, garbage for the most part; absent where the runtime does not tell. */
    readonly bytesPerChunk?: number;
    /** Nanoseconds a chunk and stage, for each of `stageCounts` until it fails. */
    readonly nsPerStage: readonly number[];
  };
}

/** What `bench/results/latency.json` holds. */
export interface LatencyFile {
  readonly runtimes: Readonly<Record<string, string>>;
  readonly rows: readonly {
    readonly runtime: RuntimeName;
    readonly contestant: string;
    readonly rounds: readonly LatencyRound[];
  }[];
}
