import type { Period } from "../../scenarios/extract/period.ts";

/** One run of the job: the messages of a period, from SQLite to CSV. */
export interface ExtractJob {
  readonly sourcePath: string;
  readonly outputPath: string;
  readonly period: Period;
}

/** Does the job; resolves with the number of rows once the output is whole. */
export type RunExtract = (job: ExtractJob) => Promise<number>;
