import { existsSync } from "node:fs";
import { relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type RuntimeName, runtimeNames } from "../runtimes/current_runtime.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { resolvePath } from "./command_line/resolve_path.ts";
import { runCommand } from "./command_line/run_command.ts";
import { UsageError } from "./command_line/usage_error.ts";
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
const timeoutMs = 600_000;
/** Whether files that fail are run once more: shared machines have accidents, but a run of one's own should hide none. */
const looksAgain = !["", "0", "false"].includes(process.env.CI ?? "");
/** What failed besides tests: a runtime that is missing, or ran nothing. */
const otherFailures: string[] = [];
const durations: { readonly where: string; readonly elapsedMs: number }[] = [];

const outcomes: Outcome[] = [];

interface TestOptions {
  readonly runtimes: readonly RuntimeName[];
  readonly filter?: string;
  /** Whether to run only what reaches changed files. */
  readonly changed: boolean;
  /** How many files are run at once at least. */
  readonly jobs: number | undefined;
  /** Files to run in place of all; empty means all. */
  readonly paths: readonly string[];
  /** How many times as long timers take. */
  readonly slowTimers: number | undefined;
  /** How many files to name that took the longest. */
  readonly slowest: number;
  readonly signal: AbortSignal;
}

function readOptions(args: readonly string[], signal: AbortSignal): TestOptions {
  const { runtime, filter, changed, jobs, "slow-timers": slowTimers, slowest = 0, _ } =
    parseCommandLine(args, {
      command: "deno task test",
      about:
        "Runs the test suite under Deno, Bun and Node, and the documentation examples under Deno.\n" +
        "FILE is a *_test.ts file (its tests are run) or another .ts or .md file (its examples are).",
      positional: "[FILE…]",
      flags: {
        runtime: { kind: "list", value: "R,…", about: "default: all", choices: runtimeNames },
        filter: { kind: "text", value: "TEXT", about: "only tests whose name contains TEXT" },
        changed: {
          kind: "boolean",
          about: "only tests that reach a file changed since origin/main, or since the last commit",
        },
        jobs: {
          kind: "integer",
          about: "run N files at once, and more while there is time to spare; default: one a core",
          minimum: 1,
        },
        "slow-timers": {
          kind: "integer",
          about:
            "timers take N times as long: what they decide is then decided otherwise; default: 1",
          minimum: 1,
        },
        slowest: { kind: "integer", about: "name the N slowest files; default: 0" },
      },
      examples: [
        "deno task test tests/stages/map_test.ts --runtime bun",
        "deno task test --filter backpressure --slowest 5",
      ],
    });
  const paths = _.map((path) =>
    (existsSync(resolvePath(path)) ? relative(fileURLToPath(root), resolvePath(path)) : path)
      .replaceAll("\\", "/").replace(/^\.\//, "")
  );
  for (const path of paths) {
    if (!/\.(?:ts|md)$/.test(path) || !existsSync(new URL(path, root))) {
      throw new UsageError(
        `Cannot find ${path}: name a .ts or .md file by its path in the project`,
      );
    }
  }
  const runtimes = runtimeNames.filter((name) => runtime?.includes(name) ?? true);
  return { runtimes, filter, changed, jobs, paths, slowTimers, slowest, signal };
}

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
  { filter, slowTimers, signal }: TestOptions,
): Promise<TestFileResult | undefined> {
  const { runtime, files, doc } = job;
  const begunAt = performance.now();
  const result = await runTestFile(runtime, files, {
    ...{ cwd: root, filter, doc, timeoutMs, slowTimers, signal },
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
  const options = readOptions(args, signal);
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
