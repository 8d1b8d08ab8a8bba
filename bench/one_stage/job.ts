/** What the one stage does. */
export type OneStageKind = "batch" | "flat-map" | "format-ndjson" | "parse-ndjson";

/** An array through one stage. */
export interface OneStageJob {
  readonly kind: OneStageKind;
  /** Numbers for `batch` and `flat-map`, rows for `format-ndjson`, texts cut anywhere for `parse-ndjson`. */
  readonly chunks: readonly unknown[];
  /** Takes a batch of `batchSize`, each part of a number, a line or a value. */
  take(result: unknown): void;
}

export const batchSize = 100;

/** What a number is made into. */
export function partsOf(number: number): number[] {
  return Array.from({ length: number % 100 + 1 }, (_, part) => part);
}

/** Runs the job; a contestant is one such function. */
export type RunOneStage = (job: OneStageJob) => Promise<void>;
