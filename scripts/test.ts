import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type RuntimeName, runtimeNames } from "../runtimes/current_runtime.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { resolvePath } from "./command_line/resolve_path.ts";
import { runCommand } from "./command_line/run_command.ts";
import { UsageError } from "./command_line/usage_error.ts";
import { listFiles } from "./gate/list_files.ts";
import { runTestFile, type TestFileResult } from "./test/run_test_file.ts";
import { describeRuntime, findRuntime, type Runtime } from "../runtimes/find_runtime.ts";

const root = new URL("../", import.meta.url);
const timeoutMs = 600_000;
const parallel = Math.min(availableParallelism(), 4);
const total = { passed: 0, failed: 0, skipped: 0 };
const failedNames: string[] = [];
const durations: { readonly where: string; readonly elapsedMs: number }[] = [];

interface TestOptions {
  readonly runtimes: readonly RuntimeName[];
  readonly filter?: string;
  /** Files to run in place of all; empty means all. */
  readonly paths: readonly string[];
  /** How many files to name that took the longest. */
  readonly slowest: number;
  readonly signal: AbortSignal;
}

function readOptions(args: readonly string[], signal: AbortSignal): TestOptions {
  const { runtime, filter, slowest = 0, _ } = parseCommandLine(args, {
    command: "deno task test",
    about:
      "Runs the test suite under Deno, Bun and Node, and the documentation examples under Deno.\n" +
      "FILE is a *_test.ts file (its tests are run) or another .ts or .md file (its examples are).",
    positional: "[FILE…]",
    flags: {
      runtime: { kind: "list", value: "R,…", about: "default: all", choices: runtimeNames },
      filter: { kind: "text", value: "TEXT", about: "only tests whose name contains TEXT" },
      slowest: { kind: "integer", about: "names the N files that took the longest; default: 0" },
    },
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
  return { runtimes, filter, paths, slowest, signal };
}

async function filesWithExamples(): Promise<string[]> {
  const candidates = [
    "mod.ts",
    ...await listFiles(root, "src", ".ts"),
    ...await listFiles(root, "node_compat", ".ts"),
    "README.md",
    ...await listFiles(root, "docs", ".md"),
  ].filter((path) => existsSync(new URL(path, root)));
  const texts = await Promise.all(candidates.map((path) => readFile(new URL(path, root), "utf8")));
  return candidates.filter((_, index) => /```(?:ts|js|typescript)\b/.test(texts[index]!));
}

/** What there is to run: one entry for each process to start. */
async function plan(options: TestOptions): Promise<{ tests: string[]; examples: string[] }> {
  const { paths, filter } = options;
  if (paths.length > 0) {
    return {
      tests: paths.filter((path) => path.endsWith("_test.ts")),
      examples: paths.filter((path) => !path.endsWith("_test.ts")),
    };
  }
  const tests = await listFiles(root, "tests", "_test.ts");
  return {
    tests: tests.filter((path) => !path.split("/").at(-1)!.startsWith("_")),
    examples: filter === undefined ? await filesWithExamples() : [],
  };
}

function tell(text: string): void {
  console.log(text);
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
}

function add(where: string, counts: typeof total, result: TestFileResult): void {
  counts.passed += result.passed;
  counts.skipped += result.skipped.length;
  counts.failed += result.failures.length;
  for (const name of result.skipped) {
    progress("");
    tell(`– ${where} › ${name}`);
  }
  for (const { name, detail } of result.failures) {
    failedNames.push(`${where} › ${name}`);
    progress("");
    tell(`✗ ${where} › ${name}\n${detail.replace(/^/gm, "    ")}`);
  }
}

function summary({ passed, failed, skipped }: typeof total): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

async function runAll(
  runtime: Runtime,
  label: string,
  jobs: readonly (readonly string[])[],
  doc: boolean,
  { filter, signal }: TestOptions,
): Promise<void> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    while (next < jobs.length && !signal.aborted) {
      const files = jobs[next++]!;
      progress(`${label}: ${next} of ${jobs.length} ${files.length === 1 ? files[0] : ""}`);
      const begunAt = performance.now();
      const result = await runTestFile(runtime, files, {
        cwd: root,
        filter,
        doc,
        timeoutMs,
        signal,
      });
      if (signal.aborted) return;
      const where = files.length === 1 ? `${label} ${files[0]}` : label;
      durations.push({ where, elapsedMs: performance.now() - begunAt });
      add(where, counts, result);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  if (signal.aborted) return;
  if (counts.passed + counts.failed === 0) {
    add(label, counts, {
      passed: 0,
      skipped: [],
      failures: [{ name: "ran no test", detail: `${jobs.length} files were looked at` }],
    });
  }
  progress("");
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  tell(`${label}: ${summary(counts)} (${seconds} s)`);
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += counts[key];
}

async function runSuite(options: TestOptions): Promise<void> {
  const { signal } = options;
  const { tests, examples } = await plan(options);
  for (const name of options.runtimes) {
    let runtime: Runtime;
    try {
      runtime = await findRuntime(name);
    } catch (error) {
      total.failed++;
      failedNames.push(name);
      tell(`✗ ${name}: ${(error as Error).message}`);
      continue;
    }
    tell(describeRuntime(runtime));
    if (tests.length > 0 || options.paths.length === 0) {
      await runAll(runtime, name, tests.map((file) => [file]), false, options);
    }
    if (name === "deno" && examples.length > 0 && !signal.aborted) {
      await runAll(runtime, "deno examples", [examples], true, options);
    }
    if (signal.aborted) return;
  }
}

function tellSlowest(count: number): void {
  if (count === 0) return;
  const longest = durations.toSorted((one, other) => other.elapsedMs - one.elapsedMs);
  const lines = longest.slice(0, count)
    .map(({ where, elapsedMs }) => `  ${(elapsedMs / 1000).toFixed(1).padStart(6)} s  ${where}`);
  tell(`slowest:\n${lines.join("\n")}`);
}

await runCommand(async (args, signal) => {
  const options = readOptions(args, signal);
  await runSuite(options);
  if (signal.aborted) return;
  tellSlowest(options.slowest);
  if (failedNames.length > 1) tell(`failed:\n${failedNames.join("\n").replace(/^/gm, "  ")}`);
  tell(summary(total));
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
});
