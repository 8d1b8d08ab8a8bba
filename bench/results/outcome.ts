import type { ParamValue } from "./params.ts";

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
