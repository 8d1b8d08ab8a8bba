import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import type { Outcome } from "./outcome.ts";
import type { Params } from "./params.ts";

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
  /** In rising order, all that were taken or, where `samplesTaken` says so, some of them. */
  readonly samples: readonly number[];
  /** How many were taken, if that is more than were kept; the quartiles are theirs. */
  readonly samplesTaken?: number;
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
