import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import type { Profile } from "./profile.ts";
import type { Measurement } from "../results/result.ts";
import type { CaseRequest } from "./workload.ts";

/** What the driver tells a case's process, as JSON in its first argument. */
export interface CaseProcessRequest extends CaseRequest {
  readonly workload: string;
  /** The runtime the process must find itself in. */
  readonly runtime: RuntimeName;
  readonly profile: Profile;
  /** How long it may take samples after the first iteration. */
  readonly allowanceMs: number;
  /** The module with the workloads. */
  readonly registryUrl: string;
  /** Where the answer goes: what a contestant prints can never be mistaken for it. */
  readonly answerFile: string;
}

/** What a case's process answers. */
export interface CaseProcessAnswer {
  readonly runtimeVersion: string;
  readonly measurement?: Measurement;
  /** Why the case was not run, instead of a measurement. */
  readonly refusal?: string;
}
