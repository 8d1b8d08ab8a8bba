import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { descriptors } from "../../runtimes/descriptors.ts";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { parseJunit } from "./parse_junit.ts";
import { type ProcessResult, runProcess } from "../../runtimes/run_process.ts";

/** One thing that went wrong: a test, or a whole file. */
export interface TestFailure {
  readonly name: string;
  readonly detail: string;
}

/** What one file's tests came to in one runtime. */
export interface TestFileResult {
  readonly passed: number;
  /** The names of the tests that were left out. */
  readonly skipped: readonly string[];
  readonly failures: readonly TestFailure[];
}

/** How `runTestFile` runs. */
export interface TestFileOptions {
  /** The project's folder, which paths are relative to. */
  readonly cwd: URL;
  /** Only tests whose name contains this text. */
  readonly filter?: string;
  /** Runs the files' documentation examples in place of their tests; Deno only. */
  readonly doc?: boolean;
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
  const pattern = escaped === undefined ? undefined : `(?:${escaped})`;
  return descriptors[name].testArguments({
    ...{ files, report, pattern, bail, timeoutMs },
    ...(slowTimers === 1 ? {} : { preload: slowTimersModule }),
  });
}

function lastLines(output: string): string {
  return stripVTControlCharacters(output).trim().split("\n").slice(-40).join("\n");
}

/** Turns a runtime's report and the way it ended into counts; no report or no test is a failure. */
export function judgeTestFile(
  xml: string,
  result: Pick<ProcessResult, "code" | "output" | "timedOut">,
  filter?: string,
): TestFileResult {
  // Filtered-out tests are listed as skipped by Deno and Bun, and not at all by Node.
  const cases = parseJunit(xml).filter(({ name }) => filter === undefined || name.includes(filter));
  const failures: TestFailure[] = cases.filter(({ outcome }) => outcome === "failed")
    .map(({ name, detail }) => ({ name, detail }));
  const detail = lastLines(result.output);
  if (result.timedOut) {
    failures.push({ name: "the file did not end in time and was killed", detail });
  } else if (result.code !== 0 && failures.length === 0) {
    // Bun calls a file without a matching test an error; for us it is merely not asked for.
    const unmatched = filter !== undefined && /matched 0 tests/.test(result.output);
    if (!unmatched) {
      const end = result.code === null ? "was killed" : `exited with code ${result.code}`;
      failures.push({ name: `the file ${end}`, detail });
    }
  } else if (cases.length === 0 && failures.length === 0 && filter === undefined) {
    failures.push({ name: "the file ran no test", detail });
  }
  const names = (wanted: string) =>
    cases.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
  return { passed: names("passed").length, skipped: names("skipped"), failures };
}

/** Runs test files in a process of their own, so that a crash or a hang costs no other file. */
export async function runTestFile(
  runtime: Runtime,
  files: readonly string[],
  options: TestFileOptions,
): Promise<TestFileResult> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-test-"));
  try {
    const report = join(folder, "report.xml");
    const run = options.doc ? [exampleTests] : files;
    const args = commandLine(runtime, run, report, options);
    const result = await runProcess(runtime.executable, args, {
      cwd: options.cwd,
      // Node would speak its parent runner's protocol if this process itself is a test.
      env: {
        NODE_TEST_CONTEXT: undefined,
        HOSEPIPE_SLOW_TIMERS: options.slowTimers?.toString(),
        HOSEPIPE_THOROUGH: options.thorough?.toString(),
        HOSEPIPE_EXAMPLES: options.doc ? files.join("\n") : undefined,
        ...(process.stdout.isTTY ? {} : { NO_COLOR: "1" }),
      },
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      onStart: options.onStart,
    });
    const xml = await readFile(report, "utf8").catch(() => "");
    return judgeTestFile(xml, result, options.filter);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
