import type { Period } from "../../scenarios/extract/source.ts";

/** One run of the job: the messages of a period, from a database to CSV. */
export interface ExtractJob {
  /** For `openSource`. */
  readonly address: string;
  readonly outputPath: string;
  readonly period: Period;
}

/** Does the job; resolves with the number of rows once the output is whole. */
export type RunExtract = (job: ExtractJob) => Promise<number>;
