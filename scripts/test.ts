import { availableParallelism, cpus } from "node:os";
import process from "node:process";
import { describeRuntime, findRuntime, type Runtime } from "../runtimes/find_runtime.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { UsageError } from "../scenarios/command_line/parse_command_line.ts";
import { planTests, runsUnder } from "./test/plan_tests.ts";
import { readOptions, type TestOptions } from "./test/read_options.ts";
import { runExamples, type TestFileResult } from "./test/run_test_file.ts";
import { runTestFiles } from "./test/run_test_files.ts";
import type { Counts } from "./gate/step_counts.ts";

/** Files that one process runs. */
interface TestJob {
  readonly runtime: Runtime;
  /** The runtime, and what of it. */
  readonly label: string;
  readonly files: readonly string[];
  /** Whether their examples are run, not their tests. */
  readonly doc: boolean;
}

/** What a job came to. */
interface Outcome {
  readonly job: TestJob;
  readonly result: TestFileResult;
}

/** A job's name. */
function whereOf({ label, files, doc }: Pick<TestJob, "label" | "files" | "doc">): string {
  if (files.length === 1) return `${label} ${files[0]}`;
  return doc ? label : `${label} ${files[0]} and ${files.length - 1} more`;
}

/** What failed in a job, with its name. */
function failuresOf({ job, result }: Outcome): string[] {
  return result.failures.map(({ name }) => `${whereOf(job)} › ${name}`);
}

/** What several jobs came to. */
function sumOf(outcomes: readonly Outcome[]): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { result } of outcomes) {
    total.passed += result.passed;
    total.failed += result.failures.length;
    total.skipped += result.skipped.length;
  }
  return total;
}

/** The line that the gate reads. */
function describeCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** The files that take longest, and about how many seconds: begun last, they would be waited for. */
const longFiles: Readonly<Record<string, number>> = {
  "tests/scripts/consume/crash_test.ts": 150,
  "tests/site/chromium_test.ts": 70,
  "tests/scripts/extract_faults_test.ts": 65,
  "tests/package/chromium_test.ts": 60,
  "tests/playground/page_test.ts": 60,
  "tests/scripts/extract_resume_test.ts": 55,
  "tests/files/limits_test.ts": 20,
  "tests/fuse/chains_test.ts": 50,
  "tests/wpt/wpt_test.ts": 50,
  "tests/scripts/launch/launch_test.ts": 45,
  "tests/leaks/leaks_test.ts": 40,
  "tests/scenarios/extract/extract_test.ts": 40,
  "tests/queue/adapters/postgres_queue_test.ts": 45,
  "tests/scenarios/extract/sources/postgres_test.ts": 35,
  "tests/queue/adapters/redis_queue_test.ts": 45,
  "tests/scripts/serve_test.ts": 35,
  "tests/queue/adapters/sqs_queue_test.ts": 30,
  "tests/laws/probed_test.ts": 30,
  "tests/queue/model/lease_model_test.ts": 30,
  "tests/scripts/bench_test.ts": 30,
  "tests/scripts/consume_test.ts": 30,
  "tests/scripts/load_test.ts": 30,
  "tests/laws/memory_test.ts": 25,
  "tests/queue/adapters/kafka_queue_test.ts": 25,
  "tests/queue/adapters/nats_queue_test.ts": 35,
  "tests/fuzz/fuzz_test.ts": 20,
  "tests/node_compat/endings_test.ts": 20,
  "tests/package/workerd_test.ts": 75,
  "tests/queue/heap_test.ts": 30,
  "tests/scenarios/secrets/hide_secrets_test.ts": 20,
  "tests/scripts/extract_test.ts": 20,
  "tests/workers/in_workers_test.ts": 20,
  "tests/enumeration/enumeration_test.ts": 15,
  "tests/files/load_test.ts": 30,
  "tests/files/soak_test.ts": 30,
  "tests/scripts/consume_faults_test.ts": 15,
  "tests/scripts/queue_test.ts": 15,
};

/** Whether a file takes long, and so is begun first, in a process of its own. */
function isLong(file: string): boolean {
  return Object.hasOwn(longFiles, file);
}

function secondsOf({ doc, files }: TestJob): number {
  return doc ? 60 : longFiles[files[0]!] ?? files.length;
}

/** Puts what takes longest first, so that nothing long is left over at the end. */
function orderJobs(jobs: readonly TestJob[]): TestJob[] {
  return jobs.toSorted((one, other) => secondsOf(other) - secondsOf(one));
}

/** So many files at most share a process: cores that have nothing to do take up the next. */
const mostTogether = 24;

/** They need a process of their own, each for a reason. */
const alone: readonly RegExp[] = [
  // It imports the tests of others, which would then not be run where they belong.
  /\/probed_test\.ts$/,
  // It counts code, all of which it must see compiled.
  /\/growth_test\.ts$/,
  // It takes newer parts away from the runtime.
  /^tests\/without_newer_parts_test\.ts$/,
  // It counts all that waits in its process.
  /^tests\/testing\/virtual_time_test\.ts$/,
  // Its hooks would hold for the files beside it.
  /^tests\/node_compat\/adapters_property_test\.ts$/,
  // They replace `setImmediate` before the library is loaded.
  /^tests\/queue\/simulation\//,
  // They look at memory, or at a page, for long.
  /^tests\/(?:leaks|playground|wpt)\//,
];

/** Whose tests may share a process: all of a part of hosepipe. */
function partOf(file: string): string {
  const [tests, part] = file.split("/");
  return part!.endsWith(".ts") ? tests! : part!;
}

/** Puts files of a part together that one process may run. */
function groupFiles(files: readonly string[]): string[][] {
  const groups: string[][] = [];
  const open = new Map<string, string[]>();
  for (const file of files) {
    const part = partOf(file);
    const mayShare = !isLong(file) && !alone.some((pattern) => pattern.test(file));
    const group = mayShare ? open.get(part) : undefined;
    if (group !== undefined && group.length < mostTogether) {
      group.push(file);
      continue;
    }
    const begun = [file];
    groups.push(begun);
    if (mayShare) open.set(part, begun);
  }
  return groups;
}

const lookEveryMs = 250;
/** Below that share the cores have enough to do. */
const spareShare = 0.2;
/** So many may wait for something on each core. */
const mostPerCore = 6;

/** Tells the share of the cores' time since it was asked last in which they did nothing, from 0 to 1. */
function watchIdleShare(): () => number {
  let last = { idle: 0, total: 0 };
  return () => {
    const now = { idle: 0, total: 0 };
    for (const { times } of cpus()) {
      now.idle += times.idle;
      for (const time of Object.values(times)) now.total += time;
    }
    const total = now.total - last.total;
    const share = total > 0 ? (now.idle - last.idle) / total : 0;
    last = now;
    return share;
  };
}

/**
 * Runs jobs side by side, in this order: so many at least, and another whenever the cores have time to spare, since
 * most of what waits for a process, a server or a browser does not compute.
 *
 * @param run Runs a job; it must not reject.
 */
async function runJobs<Job>(
  jobs: readonly Job[],
  atOnce: number,
  signal: AbortSignal,
  run: (job: Job) => Promise<void>,
): Promise<void> {
  const cores = availableParallelism();
  const readIdleShare = watchIdleShare();
  let next = 0;
  let running = 0;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const mayStart = () => next < jobs.length && !signal.aborted;
  const startOne = (): void => {
    running++;
    run(jobs[next++]!).finally(() => {
      running--;
      fill();
    });
  };
  const fill = (): void => {
    while (running < atOnce && mayStart()) startOne();
    if (running === 0) resolve();
  };
  const timer = setInterval(() => {
    const hasTime = readIdleShare() >= spareShare;
    if (hasTime && running < cores * mostPerCore && mayStart()) startOne();
  }, lookEveryMs);
  fill();
  await ended;
  clearInterval(timer);
}

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
async function rerunFailed(
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

const root = new URL("../", import.meta.url);
/** How long a file may take that has a core for itself: in the gate, and if it does all that is promised. */
const aloneTimeoutMs = 600_000;
const thoroughTimeoutMs = 6 * aloneTimeoutMs;
/** Whether files that fail are run once more: shared machines have accidents, but a run of one's own should hide none. */
const looksAgain = !["", "0", "false"].includes(process.env.CI ?? "");
/** How many of the gate's random cases are tried where the library alone is tested. */
const quickShare = 0.2;
/** What failed besides tests: a runtime that is missing, or ran nothing. */
const otherFailures: string[] = [];

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

/** Runs a job and tells its failures; what is cut short comes to nothing. */
async function runJob(
  job: TestJob,
  { filter, jobs = 1, size, slowTimers, thorough = size === "quick" ? quickShare : 1, signal }:
    TestOptions,
): Promise<readonly Outcome[]> {
  const { runtime, files, doc } = job;
  const aloneMs = thorough > 1 ? thoroughTimeoutMs : aloneTimeoutMs;
  const timeoutMs = aloneMs * Math.max(1, jobs / availableParallelism());
  const run = { cwd: root, filter, timeoutMs, slowTimers, thorough, signal };
  const own: Outcome[] = doc
    ? [{ job, result: await runExamples(runtime, files, run) }]
    : (await runTestFiles(runtime, files, run)).entries()
      .map(([file, result]) => ({ job: { ...job, files: [file] }, result })).toArray();
  if (signal.aborted) return [];
  own.forEach(tellResult);
  return own;
}

/** Runs jobs of all runtimes side by side, and says of each label what it came to once its last job has ended. */
async function runAll(jobs: readonly TestJob[], options: TestOptions): Promise<void> {
  const { signal } = options;
  const startedAt = performance.now();
  const left = new Map<string, number>();
  for (const { label } of jobs) left.set(label, (left.get(label) ?? 0) + 1);
  let started = 0;
  await runJobs(jobs, options.jobs ?? availableParallelism(), signal, async (job) => {
    progress(`${++started} of ${jobs.length}: ${whereOf(job)}`);
    outcomes.push(...await runJob(job, options));
    if (signal.aborted) return;
    const { label } = job;
    left.set(label, left.get(label)! - 1);
    if (left.get(label) !== 0) return;
    const own = outcomes.filter((outcome) => outcome.job.label === label);
    tellSum(label, own, performance.now() - startedAt);
  });
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

/** Runs what is asked for; returns how many files of tests were left out. */
async function runSuite(options: TestOptions): Promise<number> {
  const { tests, examples, leftOut, missing } = await planTests(root, options);
  if (missing !== undefined) {
    throw new UsageError(
      `Cannot find ${missing}: name a file, a folder or a pattern, such as tests/stages or "map_*"`,
    );
  }
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
    const own = tests.filter((file) => options.paths.includes(file) || runsUnder(file, name));
    jobs.push(...groupFiles(own).map((files) => ({ runtime, label: name, files, doc: false })));
    if (name === "deno" && examples.length > 0) {
      jobs.push({ runtime, label: "deno examples", files: examples, doc: true });
    }
  }
  await runAll(orderJobs(jobs), options);
  return leftOut;
}

function tellSlowest(count: number): void {
  if (count === 0) return;
  const longest = outcomes.toSorted((one, other) => other.result.elapsedMs - one.result.elapsedMs);
  const lines = longest.slice(0, count).map(({ job, result: { elapsedMs } }) =>
    `  ${(elapsedMs / 1000).toFixed(1).padStart(6)} s  ${whereOf(job)}`
  );
  tell(`slowest:\n${lines.join("\n")}`);
}

/** Gives what failed its second run, where it has one. */
async function settle(options: TestOptions): ReturnType<typeof rerunFailed> {
  if (!looksAgain) return { outcomes, replaced: [] };
  return await rerunFailed(outcomes, async (job) => {
    tell(`once more, alone: ${whereOf(job)}`);
    return (await runJob(job, options))[0]?.result;
  });
}

function describeLeftOut(count: number, { size }: TestOptions): string {
  return size === "rest"
    ? `left out: ${count} files of tests; deno task test runs them`
    : `left out: ${count} files of tests, of commands, servers, browsers and the like, and most random cases; ` +
      "deno task ok runs all";
}

function inset(lines: readonly string[]): string {
  return lines.join("\n").replace(/^/gm, "  ");
}

await runCommand(async (args, signal) => {
  const options = readOptions(root, args, signal);
  const leftOut = await runSuite(options);
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
  if (leftOut > 0) tell(describeLeftOut(leftOut, options));
  tell(describeCounts(total));
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
});
