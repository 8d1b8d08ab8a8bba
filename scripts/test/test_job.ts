import type { Runtime } from "../../runtimes/find_runtime.ts";
import type { Counts } from "../gate/step_counts.ts";
import type { TestFileResult } from "./run_test_file.ts";

/** Files that one process runs. */
export interface TestJob {
  readonly runtime: Runtime;
  /** The runtime, and what of it. */
  readonly label: string;
  readonly files: readonly string[];
  /** Whether their examples are run, not their tests. */
  readonly doc: boolean;
}

/** What a job came to. */
export interface Outcome {
  readonly job: TestJob;
  readonly result: TestFileResult;
}

/** A job's name. */
export function whereOf({ label, files, doc }: Pick<TestJob, "label" | "files" | "doc">): string {
  if (files.length === 1) return `${label} ${files[0]}`;
  return doc ? label : `${label} ${files[0]} and ${files.length - 1} more`;
}

/** What failed in a job, with its name. */
export function failuresOf({ job, result }: Outcome): string[] {
  return result.failures.map(({ name }) => `${whereOf(job)} › ${name}`);
}

/** What several jobs came to. */
export function sumOf(outcomes: readonly Outcome[]): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { result } of outcomes) {
    total.passed += result.passed;
    total.failed += result.failures.length;
    total.skipped += result.skipped.length;
  }
  return total;
}

/** The line that the gate reads. */
export function describeCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
