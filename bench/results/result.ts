import type { RuntimeName } from "../../runtimes/current_runtime.ts";

/** The name of the row that shows what measuring itself costs. */
export const noopName = "noop";

/** Loops and arrays without any stream: what a library is measured by, and no rival of it. */
const controls = new Set([noopName, "hand", "hand-streams", "step-list", "arrays"]);

/** Whether a contestant is a control. */
export function isControl(contestant: string): boolean {
  return controls.has(contestant);
}

/** This library's, whose names do not begin with what they call. */
const ours = new Set(["in-workers", "to-array", "for-await", "generator-stages", "docs", "blocks"]);

/** Whether a contestant is one of this library's. */
export function isOurs(contestant: string): boolean {
  return ours.has(contestant) || /^(pipeline|fuse|hosepipe)/.test(contestant);
}

/** Whether the shortest sample is within 10 ticks of the runtime's clock: too short to tell. */
export function isNearTick(
  { samples, iterationsPerSample, timerTickMs }: Pick<
    Measurement,
    "samples" | "iterationsPerSample" | "timerTickMs"
  >,
): boolean {
  return samples[0]! * iterationsPerSample < 10 * timerTickMs;
}

/** Names a case for people, such as `copy_lines passes=100: web/node`. */
export function describeCase(
  { workload, contestant, runtime, params }: Omit<RowIdentity, "runtimeVersion" | "wallMs">,
): string {
  return `${
    [workload, describeParams(params)].filter(Boolean).join(" ")
  }: ${contestant}/${runtime}`;
}

/** Writes parameters as the command line takes them, in the order of their names. */
export function describeParams(params: Params): string {
  return Object.keys(params).sort().map((name) => `${name}=${params[name]}`).join(" ");
}

/** What one iteration produced, checked before its time counts. */
export interface Outcome {
  /** Chunks that reached the sink. */
  readonly chunks: number;
  /** Bytes that reached the sink. */
  readonly bytes: number;
  /** A digest of the output: equal for every contestant of a case, or the run fails. */
  readonly digest: string;
  /** What the workload alone measures, such as `{ maxInFlight: 10 }`; shown in its own columns. */
  readonly extra?: Readonly<Record<string, ParamValue>>;
}

/** One value of a workload's parameter. */
export type ParamValue = string | number;

/** The parameters of one case, such as `{ passes: 100 }`. */
export type Params = Readonly<Record<string, ParamValue>>;

/** Which case a row is about. */
export interface RowIdentity {
  /** How long its process ran: what measuring it again will take. */
  readonly wallMs?: number;
  readonly workload: string;
  readonly contestant: string;
  readonly runtime: RuntimeName;
  readonly runtimeVersion: string;
  readonly params: Params;
}

/** What a case's process measured; times are per iteration. */
export interface Measurement extends Outcome {
  readonly unit: "ms";
  /** In rising order, all that were taken. */
  readonly samples: readonly number[];
  readonly median: number;
  readonly p25: number;
  readonly p75: number;
  /** How many iterations one sample averages: more than one only below the timer's reach. */
  readonly iterationsPerSample: number;
  /** Whether the checked first iteration is one of the samples, as it is in slow cases. */
  readonly firstRunCounted: boolean;
  /** The smallest step of the runtime's clock. */
  readonly timerTickMs: number;
  /** User and system time of all threads, per iteration. */
  readonly cpuMs: number;
  /** The most memory the process ever held. */
  readonly peakRssMiB: number;
}

/** A case that was measured. */
export interface MeasuredRow extends RowIdentity, Measurement {
  /** Set if it was measured twice, because its samples differed: the less noisy time counts. */
  readonly timesMeasured?: 2;
}

/** A case that crashed or timed out, or was not run for a reason of its own. */
export interface FailedRow extends RowIdentity {
  readonly error: string;
  /** The workload would not run it on this machine, and says why: no failure. */
  readonly refused?: true;
}

/** One row of a result file. */
export type Row = MeasuredRow | FailedRow;

/** The machine that was measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly os: string;
}

/** What `bench/results/latest.json` holds. */
export interface ResultFile {
  readonly schema: 1;
  /** The commit that was measured; null outside a git checkout. */
  readonly commit: string | null;
  /** Whether tracked files differed from that commit. */
  readonly dirty: boolean | null;
  readonly startedAt: string;
  readonly elapsedMs: number;
  readonly machine: Machine;
  readonly seed: number;
  readonly profile: string;
  /** False if the run was interrupted: some cases have no row. */
  readonly complete: boolean;
  readonly rows: readonly Row[];
}

/** Several whole runs of the same cases, each with a seed and a machine of its own. */
export interface RunsFile {
  readonly schema: 2;
  readonly runs: readonly ResultFile[];
}

/** Tells measured rows from failed ones. */
export function isMeasured(row: Row): row is MeasuredRow {
  return !("error" in row);
}
