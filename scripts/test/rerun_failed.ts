import type { TestFileResult } from "./run_test_file.ts";
import type { Outcome, TestJob } from "./test_job.ts";

/** So many failures at once are no accident, and would take their time twice. */
const mostJobs = 20;

/** Whether a second run may stand for a failed one: it has no failure, and leaves out nothing. */
function hasPassed(first: TestFileResult, second: TestFileResult): boolean {
  return second.failures.length === 0 && second.passed > 0 && second.passed >= first.passed &&
    first.failures.every(({ name, isOfGroup }) => !isOfGroup && !second.skipped.includes(name));
}

/**
 * Runs what failed once more, one after the other. What passes then counts by its second run alone; everything else
 * counts by its first.
 *
 * @param run Runs a job once more; `undefined` if it was cut short.
 * @returns All outcomes as they count, and the first outcomes of those that count by their second run.
 */
export async function rerunFailed(
  outcomes: readonly Outcome[],
  run: (job: TestJob) => Promise<TestFileResult | undefined>,
): Promise<{ outcomes: readonly Outcome[]; replaced: readonly Outcome[] }> {
  const failed = outcomes.filter(({ result }) => result.failures.length > 0);
  if (failed.length > mostJobs) return { outcomes, replaced: [] };
  const passed = new Map<Outcome, Outcome>();
  for (const first of failed) {
    const result = await run(first.job);
    if (result !== undefined && hasPassed(first.result, result)) {
      passed.set(first, { job: first.job, result });
    }
  }
  return {
    outcomes: outcomes.map((outcome) => passed.get(outcome) ?? outcome),
    replaced: [...passed.keys()],
  };
}
