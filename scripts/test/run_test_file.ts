import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { descriptors } from "../../runtimes/descriptors.ts";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { addedPattern } from "./plan_tests.ts";
import { parseJunit, type TestCase } from "./parse_junit.ts";
import { type ProcessResult, runProcess } from "../../runtimes/run_process.ts";

/** One thing that went wrong: a test, or a whole file. */
export interface TestFailure {
  readonly name: string;
  readonly detail: string;
  /** Whether the file alone cannot show it, so that its passing alone says nothing. */
  readonly isOfGroup?: boolean;
}

/** What one file's tests came to in one runtime. */
export interface TestFileResult {
  readonly passed: number;
  /** The names of the tests that were left out. */
  readonly skipped: readonly string[];
  readonly failures: readonly TestFailure[];
  readonly elapsedMs: number;
}

/** How `runTestFile` runs. */
export interface TestFileOptions {
  /** The project's folder, which paths are relative to. */
  readonly cwd: URL;
  /** Only tests whose name contains this text. */
  readonly filter?: string;
  readonly timeoutMs: number;
  /** How many times as long each timer takes. Default: 1. */
  readonly slowTimers?: number;
  /** How many times as many random cases are tried. Default: 1. */
  readonly thorough?: number;
  readonly signal?: AbortSignal;
  /** Whether to stop at the first failure, where the runtime can. Default: false. */
  readonly bail?: boolean;
  /** Called with the number of the tests' process. */
  readonly onStart?: (pid: number) => void;
}

const slowTimersModule = new URL("../../runtimes/slow_timers.mjs", import.meta.url);

/** Runs the examples of the files that a variable names. */
const exampleTests = "scripts/test/examples/run_examples.ts";

function commandLine(
  { name }: Runtime,
  files: readonly string[],
  report: string,
  { filter, timeoutMs, bail, slowTimers = 1 }: TestFileOptions,
): readonly string[] {
  const escaped = filter?.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = escaped === undefined ? undefined : `(?:${escaped}|${addedPattern})`;
  return descriptors[name].testArguments({
    ...{ files, report, pattern, bail, timeoutMs },
    ...(slowTimers === 1 ? {} : { preload: slowTimersModule }),
  });
}

/** What a process said last. */
export function lastLines(output: string): string {
  return stripVTControlCharacters(output).trim().split("\n").slice(-40).join("\n");
}

/** How a process ended, as far as its tests are judged by it. */
export type TestEnd = Pick<ProcessResult, "code" | "output" | "timedOut" | "elapsedMs">;

/** What became of a process that did not end well. */
export function describeEnd({ code, timedOut }: TestEnd): string {
  if (timedOut) return "did not end in time and was killed";
  return code === null ? "was killed" : `exited with code ${code}`;
}

/** Turns a file's cases and the way its process ended into counts; no test is a failure. */
export function judgeTestFile(
  all: readonly TestCase[],
  result: TestEnd,
  filter?: string,
): TestFileResult {
  // Filtered-out tests are listed as skipped by Deno and Bun, and not at all by Node.
  const cases = all.filter(({ name }) => filter === undefined || name.includes(filter));
  const failures: TestFailure[] = cases.filter(({ outcome }) => outcome === "failed")
    .map(({ name, detail }) => ({ name, detail }));
  const detail = lastLines(result.output);
  // Bun calls a file without a matching test an error; for us it is merely not asked for.
  const isUnmatched = filter !== undefined && /matched 0 tests/.test(result.output);
  if (result.timedOut || (result.code !== 0 && failures.length === 0 && !isUnmatched)) {
    failures.push({ name: `the file ${describeEnd(result)}`, detail });
  } else if (cases.length === 0 && failures.length === 0 && filter === undefined) {
    failures.push({ name: "the file ran no test", detail });
  }
  const names = (wanted: string) =>
    cases.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
  const { elapsedMs } = result;
  return { passed: names("passed").length, skipped: names("skipped"), failures, elapsedMs };
}

/** Runs files in one process: what its report says, none if it wrote none, and how it ended. */
export async function runReported(
  runtime: Runtime,
  files: readonly string[],
  options: TestFileOptions & { readonly env?: Readonly<Record<string, string>> },
): Promise<{ readonly cases: readonly TestCase[]; readonly end: TestEnd }> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-test-"));
  try {
    const report = join(folder, "report.xml");
    const end = await runProcess(runtime.executable, commandLine(runtime, files, report, options), {
      cwd: options.cwd,
      // Node would speak its parent runner's protocol if this process itself is a test.
      env: {
        NODE_TEST_CONTEXT: undefined,
        HOSEPIPE_SLOW_TIMERS: options.slowTimers?.toString(),
        HOSEPIPE_THOROUGH: options.thorough?.toString(),
        ...options.env,
        ...(process.stdout.isTTY ? {} : { NO_COLOR: "1" }),
      },
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      onStart: options.onStart,
    });
    return { cases: parseJunit(await readFile(report, "utf8").catch(() => "")), end };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs one file's tests in a process of their own, so that a crash or a hang costs no other file. */
export async function runTestFile(
  runtime: Runtime,
  file: string,
  options: TestFileOptions,
): Promise<TestFileResult> {
  const { cases, end } = await runReported(runtime, [file], options);
  return judgeTestFile(cases, end, options.filter);
}

/** Runs the documentation examples of files as one file's tests: Deno only. */
export async function runExamples(
  runtime: Runtime,
  files: readonly string[],
  options: TestFileOptions,
): Promise<TestFileResult> {
  const env = { HOSEPIPE_EXAMPLES: files.join("\n") };
  const { cases, end } = await runReported(runtime, [exampleTests], { ...options, env });
  return judgeTestFile(cases, end, options.filter);
}
