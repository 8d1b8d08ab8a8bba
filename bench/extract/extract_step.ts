import type { ContestantEntry } from "../measure/workload.ts";
import type { ExtractJob, RunExtract } from "./job.ts";

/** A step of a ladder, whose code is loaded only when it is asked for. */
export interface ExtractStep extends ContestantEntry {
  /** Tries whether it can be run at all. */
  check?(job: ExtractJob): Promise<void>;
  load(): Promise<RunExtract>;
}
