import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import process from "node:process";
import { listFiles } from "./lib/list_files.ts";
import { runTestFile, type TestFileResult } from "./lib/run_test_file.ts";
import { parseTestOptions, type TestOptions } from "./lib/test_options.ts";
import { describeRuntime, findRuntime, type Runtime } from "./runtimes.ts";

const usage =
  `Runs the test suite under Deno, Bun and Node, and the documentation examples under Deno.

deno task test [FILE…] [--runtime deno,bun,node] [--filter TEXT]

  FILE             a *_test.ts file (its tests), or another .ts or .md file (its examples)
  --runtime LIST   only these runtimes
  --filter TEXT    only tests whose name contains TEXT
  --help           this text
`;

const root = new URL("../", import.meta.url);
const timeoutMs = 300_000;
const parallel = Math.min(availableParallelism(), 4);
const total = { passed: 0, failed: 0, skipped: 0 };
const failedNames: string[] = [];
const interruption = new AbortController();

async function filesWithExamples(): Promise<string[]> {
  const candidates = [
    "mod.ts",
    ...await listFiles(root, "src", ".ts"),
    ...await listFiles(root, "node_compat", ".ts"),
    "README.md",
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
  counts.skipped += result.skipped;
  counts.failed += result.failures.length;
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
  filter?: string,
): Promise<void> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    while (next < jobs.length && !interruption.signal.aborted) {
      const files = jobs[next++]!;
      progress(`${label}: ${next} of ${jobs.length} ${files.length === 1 ? files[0] : ""}`);
      const { signal } = interruption;
      const result = await runTestFile(runtime, files, {
        cwd: root,
        filter,
        doc,
        timeoutMs,
        signal,
      });
      if (signal.aborted) return;
      add(files.length === 1 ? `${label} ${files[0]}` : label, counts, result);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  if (interruption.signal.aborted) return;
  if (counts.passed + counts.failed === 0) {
    add(label, counts, {
      passed: 0,
      skipped: 0,
      failures: [{ name: "ran no test", detail: `${jobs.length} files were looked at` }],
    });
  }
  progress("");
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  tell(`${label}: ${summary(counts)} (${seconds} s)`);
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += counts[key];
}

async function runSuite(options: TestOptions): Promise<void> {
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
      await runAll(runtime, name, tests.map((file) => [file]), false, options.filter);
    }
    if (name === "deno" && examples.length > 0 && !interruption.signal.aborted) {
      await runAll(runtime, "deno examples", [examples], true);
    }
    if (interruption.signal.aborted) return;
  }
}

function interruptWith(signal: "SIGINT" | "SIGTERM", code: number): void {
  process.on(signal, () => {
    process.exitCode = code;
    interruption.abort();
  });
}

async function main(): Promise<void> {
  let options: TestOptions;
  try {
    options = parseTestOptions(process.argv.slice(2));
    const missing = options.paths.find((path) => !existsSync(new URL(path, root)));
    if (missing !== undefined) throw new Error(`Cannot find ${missing} in the project`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    tell(usage.trimEnd());
    return;
  }
  interruptWith("SIGINT", 130);
  interruptWith("SIGTERM", 143);
  await runSuite(options);
  if (interruption.signal.aborted) process.exit();
  if (failedNames.length > 1) tell(`failed:\n${failedNames.join("\n").replace(/^/gm, "  ")}`);
  tell(summary(total));
  process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
}

await main();
