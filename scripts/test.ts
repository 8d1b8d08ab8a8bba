import { availableParallelism } from "node:os";
import process from "node:process";
import { runCommand } from "./command_line/run_command.ts";
import { readOptions, type TestOptions } from "./test/read_options.ts";
import { rerunFailed } from "./test/rerun_failed.ts";
import { orderJobs } from "./test/order_jobs.ts";
import { planChanged } from "./test/plan_changed.ts";
import { planTests, runsUnder } from "./test/plan_tests.ts";
import { runJobs } from "./test/run_jobs.ts";
import { runTestFile, type TestFileResult } from "./test/run_test_file.ts";
import {
  describeCounts,
  failuresOf,
  type Outcome,
  sumOf,
  type TestJob,
  whereOf,
} from "./test/test_job.ts";
import { describeRuntime, findRuntime, type Runtime } from "../runtimes/find_runtime.ts";

const root = new URL("../", import.meta.url);
/** How long a file may take that has a core for itself: in the gate, and if it does all that is promised. */
const aloneTimeoutMs = 600_000;
const thoroughTimeoutMs = 6 * aloneTimeoutMs;
/** Whether files that fail are run once more: shared machines have accidents, but a run of one's own should hide none. */
const looksAgain = !["", "0", "false"].includes(process.env.CI ?? "");
/** What failed besides tests: a runtime that is missing, or ran nothing. */
const otherFailures: string[] = [];
const durations: { readonly where: string; readonly elapsedMs: number }[] = [];

const outcomes: Outcome[] = [];

function tell(text: string): void {
  console.log(text);
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
}

function tellResult({ job, result }: Outcome): void {
  const where = whereOf(job);
  progress("");
  for (const name of result.skipped) tell(`– ${where} › ${name}`);
  for (const { name, detail } of result.failures) {
    tell(`✗ ${where} › ${name}\n${detail.replace(/^/gm, "    ")}`);
  }
}

/** Runs a job and tells its failures; nothing comes of it if the run is cut short. */
async function runJob(
  job: TestJob,
  { filter, jobs = 1, slowTimers, thorough = 1, signal }: TestOptions,
): Promise<TestFileResult | undefined> {
  const { runtime, files, doc } = job;
  const aloneMs = thorough > 1 ? thoroughTimeoutMs : aloneTimeoutMs;
  const timeoutMs = aloneMs * Math.max(1, jobs / availableParallelism());
  const begunAt = performance.now();
  const result = await runTestFile(runtime, files, {
    ...{ cwd: root, filter, doc, timeoutMs, slowTimers, thorough, signal },
  });
  if (signal.aborted) return undefined;
  durations.push({ where: whereOf(job), elapsedMs: performance.now() - begunAt });
  tellResult({ job, result });
  return result;
}

/** Runs jobs of all runtimes side by side, and says of each label what it came to once its last job has ended. */
async function runAll(jobs: readonly TestJob[], options: TestOptions): Promise<void> {
  const { signal } = options;
  const startedAt = performance.now();
  let started = 0;
  await runJobs(jobs, async (job) => {
    progress(`${++started} of ${jobs.length}: ${whereOf(job)}`);
    const result = await runJob(job, options);
    if (result === undefined) return;
    outcomes.push({ job, result });
    const own = outcomes.filter((outcome) => outcome.job.label === job.label);
    if (own.length === jobs.filter(({ label }) => label === job.label).length) {
      tellSum(job.label, own, performance.now() - startedAt);
    }
  }, { signal, atOnce: options.jobs });
}

function tellSum(label: string, own: readonly Outcome[], elapsedMs: number): void {
  const counts = sumOf(own);
  const isEmpty = counts.passed + counts.failed === 0;
  if (isEmpty) {
    otherFailures.push(`${label} › ran no test`);
    tell(`✗ ${label} › ran no test\n    ${own.length} files were looked at`);
  }
  progress("");
  const failed = counts.failed + Number(isEmpty);
  const seconds = (elapsedMs / 1000).toFixed(1);
  tell(`${label}: ${describeCounts({ ...counts, failed })} (${seconds} s)`);
}

async function runSuite(options: TestOptions): Promise<void> {
  const { tests, examples } = options.changed
    ? await planChanged(root, tell)
    : await planTests(root, options);
  const jobs: TestJob[] = [];
  for (const name of options.runtimes) {
    let runtime: Runtime;
    try {
      runtime = await findRuntime(name);
    } catch (error) {
      otherFailures.push(name);
      tell(`✗ ${name}: ${(error as Error).message}`);
      continue;
    }
    tell(describeRuntime(runtime));
    const isChosen = options.paths.length > 0;
    const own = isChosen ? tests : tests.filter((file) => runsUnder(file, name));
    jobs.push(...own.map((file) => ({ runtime, label: name, files: [file], doc: false })));
    if (name === "deno" && examples.length > 0) {
      jobs.push({ runtime, label: "deno examples", files: examples, doc: true });
    }
  }
  await runAll(orderJobs(jobs), options);
}

function tellSlowest(count: number): void {
  if (count === 0) return;
  const longest = durations.toSorted((one, other) => other.elapsedMs - one.elapsedMs);
  const lines = longest.slice(0, count)
    .map(({ where, elapsedMs }) => `  ${(elapsedMs / 1000).toFixed(1).padStart(6)} s  ${where}`);
  tell(`slowest:\n${lines.join("\n")}`);
}

/** Gives what failed its second run, where it has one. */
async function settle(options: TestOptions): ReturnType<typeof rerunFailed> {
  if (!looksAgain) return { outcomes, replaced: [] };
  return await rerunFailed(outcomes, (job) => {
    tell(`once more, alone: ${whereOf(job)}`);
    return runJob(job, options);
  });
}

function inset(lines: readonly string[]): string {
  return lines.join("\n").replace(/^/gm, "  ");
}

await runCommand(async (args, signal) => {
  const options = readOptions(root, args, signal);
  await runSuite(options);
  if (signal.aborted) return;
  const settled = await settle(options);
  if (signal.aborted) return;
  tellSlowest(options.slowest);
  const flakyNames = settled.replaced.flatMap(failuresOf);
  if (flakyNames.length > 0) {
    tell(`passed only at the second run: ${flakyNames.length}, to be mended\n${inset(flakyNames)}`);
  }
  const failedNames = [...otherFailures, ...settled.outcomes.flatMap(failuresOf)];
  if (failedNames.length > 1) tell(`failed:\n${inset(failedNames)}`);
  const { passed, failed, skipped } = sumOf(settled.outcomes);
  const total = { passed, failed: failed + otherFailures.length, skipped };
  tell(describeCounts(total));
  return total.failed > 0 || (total.passed === 0 && !options.changed) ? 1 : 0;
});
